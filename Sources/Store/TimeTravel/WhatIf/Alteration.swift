/// One difference of an altered history from the log.
public enum Alteration<Action: Sendable>: Sendable {
    /// These records never came.
    case skip(ClosedRange<UInt64>)
    /// The record brought this instead; the action is as dispatched, by whom and when the record was.
    case edit(UInt64, Action)
    /// Behind the record another one came; the action is as dispatched, at the time of that record.
    ///
    /// Behind 0 is before everything. Of several behind the same record the first comes first.
    case insert(after: UInt64, Action)
    /// The record came behind another one; its action, time and origin are what they were.
    case move(UInt64, after: UInt64)
}
