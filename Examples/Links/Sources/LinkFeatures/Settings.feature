# How links are checked.
public feature Settings

state (
  # Seconds from the end of a check to the next check of the same link; 0 for no further checks.
  1 interval: Int64 shown
)

# Changes the interval, at most a week.
1 command setInterval(1 seconds: Int64 required via Count)

# The interval is longer than a week.
refusal IntervalTooLong
