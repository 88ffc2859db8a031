/// One difference of an altered history from the log.
public enum Alteration<Action: Sendable>: Sendable {
    /// The records never came.
    case skip(ClosedRange<UInt64>)
    /// The record brought this action instead. It is prepared again, with the origin and the time of the record.
    case edit(UInt64, Action)
    /// This action came after the record, at the time of the record. 0 is before the first record.
    ///
    /// Insertions after the same record keep their order.
    case insert(after: UInt64, Action)
}
