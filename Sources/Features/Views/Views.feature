# Filters of todos saved under a name.
public feature Views

state (
  # The views by id, in the order in which they were saved.
  1 items: Table<SavedView>
  # The id of the next view, higher than every id handed out before; at most 2^53 - 1.
  2 nextID: NextID
)

# A filter of todos under a name.
row SavedView (
  # The id, a small whole number from 1 that is never reused.
  1 id: UInt64 filled
  # The name.
  2 name: String required
  # The filter as a person typed it.
  3 filter: String required
  # The sort order of the todos; empty for the order of the list.
  4 sort: String
  # The uid that first saved the view; 0 for root, and for views saved by versions without this field.
  5 origin: UInt64 filled
)

# Saves a filter under a name, or changes the view of that name. The daemon fills in the id and the origin.
1 command save(inline _ view: SavedView) creates view

# Changes the filter and the sort order of a view. Without `sort` the todos have the order of the list.
2 command change(1 _ id: UInt64 needed, 2 filter: String required, 3 sort: String) changes items

# Removes a view.
3 command remove(1 _ id: UInt64 needed)

# Restores views at their indexes and removes others. Only an undo writes it.
4 event restore(whole _ patch: TablePatch<SavedView>)

# There is no view with this id.
refusal UnknownID
# The name of the view is invalid.
# Remedy: Begin with a letter, and continue with letters, digits, '-', '_' and '.'.
refusal BadViewName
# The filter contains a line break or a control character, or the sort order is not one word.
refusal BadViewFilter
# The filter or the sort order is longer than its limit in bytes.
# Remedy: Give the todos a tag, and filter by that.
refusal ViewTooLong
# The maximum number of views is saved, in total or for this user: half of what the other users leave.
refusal TooManyViews
# The id or the origin is given, but the daemon sets them.
refusal FieldNotAllowed
# All ids up to 2^53 - 2 are used.
refusal IDsExhausted
