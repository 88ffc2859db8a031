import FeatureApp
import FeatureCounter

# A root above the app: the app and a counter of its own.
feature House

1 child app: App
2 child doors: Counter without tasks
