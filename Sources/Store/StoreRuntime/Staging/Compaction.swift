public import Records

/// What takes the place of a log's records up to a sequence.
public struct Compaction: Sendable {
    /// Does it, on the store's thread; throws `othersFirst` when that is to be tried again behind what others wrote to a shared log.
    public var run: @Sendable () throws(ActionLogError) -> Void

    /// Makes one; the closure must not change where the log ends.
    public init(_ run: @escaping @Sendable () throws(ActionLogError) -> Void) { self.run = run }
}
