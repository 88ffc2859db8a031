# A todo list.
public feature Todos

state (
  # The todos by id, in the order of the list.
  1 items: Table<Todo>
  # The text in the input field.
  2 draft: String shown undone if unchanged
  # Whether todos are being loaded.
  3 loading: Bool shown undone if unchanged
  # The id of the next todo, higher than every id handed out before; at most 2^53 - 1.
  4 nextID: NextID
)

# A todo. Fields that most todos do not have are stored apart.
row Todo (
  # The id, a small whole number from 1 that is never reused; 0 before it is handed out.
  1 id: UInt64 filled
  # The text.
  2 title: String required
  # A note.
  3 note: String apart
  # The tags, in the order given.
  4 tags: [String] apart
  # The priority.
  5 priority: Priority
  # The due date.
  6 due: Due?
  # The todo is hidden until then.
  9 wait: Due? apart
  # The ids of the todos that must be done first, whether they still exist or not.
  10 after: [UInt64] apart
  # The recurrence rule, such as `every monday`; empty for most todos, and for completed ones.
  11 every: String apart
  # When to remind: that minute, or the start of that day, in the zone of the daemon.
  12 remind: Due? apart
  # The reminder that was given or cannot be given.
  13 reminded: Due? filled apart undone never
  # The source, if the todo was imported.
  14 origin: TodoOrigin filled apart
  # The id of the first todo of the recurrence; 0 for the first one and for todos that do not recur.
  15 series: UInt64 filled apart
  # How long before the due date the reminder is, in microseconds; `nil` if the reminder has a time of its own.
  #
  # Only whole minutes count. If the due date has no time, days before are at 9:00, and shorter times count from the start of the day.
  16 remindBefore: Int64? apart
  # When it was added, in microseconds since 1970; 0 before that.
  7 created: Time filled
  # When it was completed, in microseconds since 1970; `nil` while it is open.
  8 completed: Time? filled
)

# The priority of a todo.
choice Priority number (
  # No priority.
  0 none
  # Low.
  1 low
  # Medium.
  2 medium
  # High.
  3 high
)

# An edit of a todo: fields that are absent stay as they are, and an empty value clears.
patch TodoChanges of Todo (title note tags priority due wait after every remind reminded origin remindBefore)

# A todo and the index where it is restored.
record PlacedTodo (
  # The todo, with its id and times.
  1 _ todo: Todo needed
  # The index; at the end if the list is shorter.
  2 at index: Int required
)

# Where an imported todo comes from, so that a second import recognizes it and an export returns what the source said.
record TodoOrigin (
  # The source, and its id of the todo, such as `taskwarrior:f0b1b1a0-…`.
  1 source: String
  # Attributes of the source that have no meaning here.
  2 attributes: [OriginAttribute]
  # What the source said, such as `due:2026-12-01` and `tag:work`: only that may be removed by a later import.
  3 said: [String]
)

# An attribute of an imported todo.
record OriginAttribute (
  # The name.
  1 _ name: String required
  # The value.
  2 _ text: String required
)

# Adds todos at the top, in their own order. The daemon fills in ids and times.
1 command add(1 _ items: [Todo] required) changes items, nextID creates items

# Changes fields of a todo.
2 command indirect edit(1 _ id: UInt64 needed, inline _ changes: TodoChanges) changes items

# Completes a todo. The daemon fills in the time, and adds the next todo if it recurs, counted from `day` (the client's day; default: UTC).
# With a time of completion no todo is added.
3 command complete(1 _ id: UInt64 needed, 2 at completed: Time?, 3 day: Due?) changes items

# Reopens a completed todo.
4 command reopen(1 _ id: UInt64 needed) changes items

# Removes a todo, named by its id or its index. Logged with the id.
5 command remove(1 _ id: UInt64) or removeAt changes items

# Restores removed todos, one after another, each with its id at its index.
6 command putBack(1 _ items: [PlacedTodo] required) changes items, nextID

# Moves a todo to an index.
7 command move(1 _ id: UInt64 needed, 2 to index: Int required) changes items

# Removes all completed todos. The daemon fills in the ids.
8 command clearCompleted(1 _ ids: [UInt64] filled) changes items

# Changes the text in the input field.
9 edit updateText(1 _ text: String required) changes draft

# Adds the text in the input field as a todo and clears the field. Logged as `add` and `updateText`.
10 command submit changes items, draft, nextID

# Loads todos from their source.
11 query load changes loading

# Todos were loaded. They are added at the top, without those whose titles are in the list. The daemon fills in ids and times.
12 event loaded(1 _ items: [Todo] required) changes items, loading, nextID creates items

# Todos could not be loaded.
13 event loadFailed(1 _ reason: String required) changes loading fails "the todos could not be loaded: \(reason)"

# A reminder was given.
14 event reminded(1 _ id: UInt64 needed, 2 of time: Due?) changes items

# A reminder could not be given.
15 event remindFailed(1 _ id: UInt64 needed, 2 of time: Due?, 3 _ reason: String) changes items
  fails "nobody could be reminded of todo \(id): \(reason)"

# A reminder was skipped or cancelled; the todo has none any more.
16 event remindCancelled(1 _ id: UInt64 needed, 2 of time: Due?) changes items

# Loads todos from their source. A later request replaces an earlier one.
1 task load

# Reminds of a todo. Due after the number of microseconds, when the time has come in the earliest zone on earth;
# the runner knows the zone and waits for the rest.
2 task remind(1 _ id: UInt64 needed, 2 at time: Due?, 3 after microseconds: Int64)

# Cancels the reminder of a todo.
3 task forget(1 _ id: UInt64 needed)

# The title has too few characters, not counting white space around it.
refusal TitleTooShort
# The title is longer than its limit in bytes.
# Remedy: Shorten it, and put the rest into the note.
refusal TitleTooLong
# The note is longer than its limit in bytes.
refusal NoteTooLong
# The text in the input field is longer than its limit in bytes.
refusal DraftTooLong
# The todo has more tags than its limit.
refusal TooManyTags
# A tag is longer than its limit in bytes.
refusal TagTooLong
# A tag is empty or consists of white space.
refusal TagEmpty
# The todo depends on more todos than its limit.
# Remedy: Name only those that come directly before it.
refusal TooManyDependencies
# A todo depends on itself.
refusal DependsOnItself
# The recurrence rule is invalid.
# Remedy: Write it like `every monday`, `every 2 weeks`, `every last day of the month` or `3 days after done`.
refusal BadRecurrence
# The reminder is relative to the due date, and the todo has no due date, or the reminder has a time of its own as well.
refusal BadReminder
# The dependencies form a cycle.
refusal DependencyRing
# The attributes of the source are larger than their limit.
refusal OriginTooLarge
# The list has reached its maximum number of todos.
refusal TooManyTodos
# There is no todo with this id. It may have been removed.
refusal UnknownID
# There is no todo at this index. The first index is 0.
refusal UnknownIndex
# A todo with this id is in the list already.
refusal IDInUse
# No todo ever had this id. The daemon assigns ids.
# Remedy: Add the todo without an id.
refusal IDNotHandedOut
# All ids up to 2^53 - 2 are used.
refusal IDsExhausted
# A field is given that only the daemon sets, such as the id.
refusal FieldNotAllowed
