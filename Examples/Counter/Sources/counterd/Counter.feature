# A whole number.
feature Counter

state (
  # From -(2^53 - 1) to 2^53 - 1.
  1 count: Int64 shown undone by difference
)

# Adds an amount, which may be negative.
1 command add(1 amount: Int64 required)

# The count would be beyond 2^53 - 1.
refusal CounterAtLimit
