# Questions that stay open until somebody answers or cancels them, also across restarts.
public feature Flows

state (
  # The open flows by id, in the order in which they were started.
  1 items: Table<Flow>
  # The id of the next flow, higher than every id handed out before; at most 2^53 - 1.
  2 nextID: NextID
  # The flow that timed out last; 0 if none did.
  3 timedOut: UInt64 undone if unchanged
)

# A question that stays open until somebody answers or cancels it.
row Flow (
  # The id, a small whole number from 1 that is never reused.
  1 id: UInt64 needed
  # The kind of question, such as `language`.
  2 kind: String required
  # The id of the flow that waits for the result; 0 if none does.
  3 parent: UInt64
  # The answers to choose from; empty if any text is an answer.
  4 options: [String]
  # The input that the parent passed; empty for none.
  5 input: String
  # When the flow ends without an answer, in microseconds since 1970; 0 for never.
  6 deadline: Time
)

# Starts a flow. It ends without an answer after `seconds` (0 for never). Logged as `started`.
# Logs nothing while a flow of the same kind is open.
1 command start(1 kind: String required, 2 seconds: Int64 via Count) changes items, nextID

# Answers an open flow. Logged as `ended`.
2 command answer(1 _ id: UInt64 needed, 2 _ text: String required) changes items

# Cancels an open flow and the flows that it waits for, innermost first. Logged as `ended` without a result.
3 command cancel(1 _ id: UInt64 needed) changes items

# A flow was started. For a flow that is open already, its parent changed.
4 event started(whole _ flow: Flow) changes items, nextID creates flow

# A flow ended, with or without a result.
5 event ended(1 _ id: UInt64 needed, 2 result: String?) changes items

# The answers to choose from changed.
6 event offered(1 _ id: UInt64 needed, 2 options: [String] required) changes items

# Restores flows at their indexes and removes others. Only an undo writes it.
7 event restore(whole _ patch: TablePatch<Flow>) changes items, nextID

# A flow timed out and ended. 0 clears the field `timedOut`.
8 event timedOut(1 _ id: UInt64) changes items, timedOut

# Ends a flow after a number of microseconds, if it is still open.
1 task timeOut(1 _ id: UInt64 needed, 2 after microseconds: Int64)

# Cancels the timer of a flow.
2 task keep(1 _ id: UInt64 needed)

# There is no kind of flow with this name.
refusal UnknownKind
# The kind of the flow is missing.
refusal KindEmpty
# The kind is longer than its limit in bytes.
refusal KindTooLong
# The maximum number of flows is open.
refusal TooManyFlows
# There is no open flow with this id. It may have been answered or cancelled.
refusal UnknownFlow
# The flow waits for another flow that it started.
# Remedy: Answer or cancel that one first.
refusal FlowWaits
# The flow does not accept this answer.
refusal UnknownAnswer
# The answer is longer than its limit in bytes.
refusal AnswerTooLong
# The flow would time out later than allowed.
refusal DeadlineTooFar
# All ids up to 2^53 - 2 are used.
refusal IDsExhausted
# Only the daemon writes this event.
# Remedy: Start, answer or cancel the flow.
refusal FactNotAllowed
