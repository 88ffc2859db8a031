public enum Alteration<Action: Sendable>: Sendable {
    case skip(ClosedRange<UInt64>)
    /// Replaces the record's action. It is prepared again, with the origin and the time of the record.
    case edit(UInt64, Action)
    /// Inserts an action after the record (0: before the first), at the time of the record; several keep their order.
    case insert(after: UInt64, Action)
}
