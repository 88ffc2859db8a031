# A feature with a fault: it gives another result each time it is asked.
feature Drifting

state (
  1 count: Int64
)

1 command drift
2 command driftBefore
3 event drifted(1 _ count: Int64)
