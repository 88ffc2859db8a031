# Two tallies side by side.
feature Pair

1 child left: Tally
2 child right: Tally
