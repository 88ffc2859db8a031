import FeatureFlows

# A single open flow as a feature, two levels below the app.
feature Question

state (
  1 flow: Flow?
)

1 command answer(1 _ text: String)
2 command cancel
3 event ended(1 _ result: String?)
