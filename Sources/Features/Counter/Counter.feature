# A whole number that goes up and down.
public feature Counter
# From -(2^53 - 1) to 2^53 - 1.
state (1 count: Int64 shown undone by difference)
# Adds 1.
1 command increment
# Subtracts 1.
2 command decrement
# Sets the count to 0.
3 command reset overwrites count
# Adds an amount, which may be negative. Only an undo writes it.
4 event shift(1 by: Int64 needed)
# The count is at its maximum.
refusal CounterAtMaximum
# The count is at its minimum.
refusal CounterAtMinimum
