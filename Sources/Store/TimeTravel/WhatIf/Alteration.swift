/// An edit of history.
public enum Alteration<Action: Sendable>: Sendable {
    /// Removes the records.
    case skip(ClosedRange<UInt64>)
    /// Replaces the record's action. It is prepared again, with the origin and the time of the record.
    case edit(UInt64, Action)
    /// Inserts an action after the record, at the time of the record. 0 is before the first record.
    ///
    /// Insertions after the same record keep their order.
    case insert(after: UInt64, Action)
}
