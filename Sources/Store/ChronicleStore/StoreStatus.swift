/// The status of a store; counts are since its start.
public struct StoreStatus: Sendable {
    /// Dispatches accepted or refused.
    public var dispatches: UInt64
    /// Dispatches refused.
    public var refused: UInt64
    /// Records written.
    public var records: UInt64
    /// Commits.
    public var flushes: UInt64
    /// Commits that failed.
    public var failedFlushes: UInt64
    /// Commands that have not ended.
    public var outbox: Int
    /// Commands with a current attempt.
    public var outboxStarted: Int
    /// Commands that wait for a person.
    public var outboxParked: Int
    /// Held commands.
    public var outboxHeld: Int
    /// Commands with their own due time.
    public var outboxScheduled: Int
    /// Whether all commands are held, including future ones.
    public var areCommandsHeld: Bool
    /// Results that came after the command had ended.
    public var lateEnds: UInt64
    /// Partial results that a later attempt repeated, and that were skipped.
    public var repeatedPieces: UInt64
    /// Commands that were parked because command ends requested too many within a minute.
    public var rateParked: UInt64
    /// Readers that wait for a change.
    public var waitingReaders: Int
    /// Dispatches that wait for the store.
    public var waitingDispatches: Int
    /// The newest snapshot.
    public var snapshot: SnapshotFact
    /// Bytes that the log uses on disk.
    public var logBytes: UInt64
    /// Bytes that the log may use.
    public var mapBytes: UInt64
    /// Free bytes on the disk.
    public var freeBytes: UInt64
    /// Microseconds by which the last record is later than the clock; 0: it is not.
    public var clockBehind: Int64
    /// Whether dispatches are refused for lack of space.
    public var isStorageFull: Bool
}
