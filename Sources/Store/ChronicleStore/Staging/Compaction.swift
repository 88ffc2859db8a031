public import ChronicleLog

public struct Compaction: Sendable {
    /// Compacts on the store's thread; throws `othersFirst` if it must be retried after other machines' records.
    public var run: @Sendable () throws(ActionLogError) -> Void

    /// Creates a compaction from a closure that must not change the head of the log.
    public init(_ run: @escaping @Sendable () throws(ActionLogError) -> Void) { self.run = run }
}
