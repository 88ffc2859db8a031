# A root one level further up.
feature House

1 child pair: Pair
