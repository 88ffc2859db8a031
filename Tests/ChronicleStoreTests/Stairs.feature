import FeatureCounter

# Two counters side by side.
feature Stairs

1 child up: Counter without tasks
2 child down: Counter without tasks
