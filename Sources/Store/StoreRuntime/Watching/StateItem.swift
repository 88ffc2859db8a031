public import Reducing

/// One item of a state subscription: a piece of the state as it is now, or what has changed since the item before.
public struct StateItem<App: Feature>: Sendable {
    /// What it brings.
    public enum Content: Sendable {
        /// A piece of the whole state. What the subscriber had before the first piece of it is void.
        case page(Value, isLast: Bool)
        /// The changes since the item before, to be applied in order.
        case changes([Change])
    }

    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of which the state now is.
    public var sequence: UInt64
    /// The time of that record.
    public var time: Int64
    /// What it brings.
    public var content: Content
    /// At most the last `Limits.itemRecordsMax` records since the item before, of the scope.
    public var records: [LoggedRecord<App>]
    /// How many records since the item before are not among `records`.
    public var skipped: UInt64
}
