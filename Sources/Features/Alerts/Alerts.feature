# Messages for people. Each is shown until somebody dismisses it.
public feature Alerts

state (
  # The alerts by id, newest last, at most 100.
  1 items: Table<Alert>
  # The id of the next alert, higher than every id handed out before; at most 2^53 - 1.
  2 nextID: NextID
)

# A message that is shown until somebody dismisses it.
row Alert (
  # The id, a small whole number from 1 that is never reused.
  1 id: UInt64 required
  # What happened and what to do, as a sentence.
  2 text: String required
)

# Raises an alert. The daemon fills in the id.
1 event raise(2 _ text: String required, 1 id: UInt64) creates id

# Dismisses an alert.
2 command dismiss(1 _ id: UInt64 needed) changes items

# Dismisses all alerts.
3 command dismissAll changes items

# Restores alerts at their indexes and removes others. Only an undo writes it.
4 event restore(whole _ patch: TablePatch<Alert>)

# There is no alert with this id.
refusal UnknownID
# The id is given, but the daemon assigns it.
refusal FieldNotAllowed
# All ids up to 2^53 - 2 are used.
refusal IDsExhausted
