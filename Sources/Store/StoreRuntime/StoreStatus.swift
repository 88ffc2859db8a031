/// How a store is doing; counts are from its start on.
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
    /// Those of them with an attempt under way.
    public var outboxStarted: Int
    /// Those of them that wait for a person.
    public var outboxParked: Int
    /// Those of them that are held until somebody releases them.
    public var outboxHeld: Int
    /// Those of them that are of a kind that waits for a time of its own.
    public var outboxScheduled: Int
    /// Whether all commands are held, those to come too.
    public var areCommandsHeld: Bool
    /// Ends that came too late, for a command that had ended.
    public var lateEnds: UInt64
    /// Pieces of results that an attempt brought again, and that were passed over.
    public var repeatedPieces: UInt64
    /// Commands that were parked because ends of commands asked for too many within a minute.
    public var rateParked: UInt64
    /// Readers that wait for a change.
    public var waitingReaders: Int
    /// Dispatches that wait for the store.
    public var waitingDispatches: Int
    /// The newest snapshot.
    public var snapshot: SnapshotFact
    /// What the log uses on disk, in bytes.
    public var logBytes: UInt64
    /// What it may use, in bytes.
    public var mapBytes: UInt64
    /// What the disk has left, in bytes.
    public var freeBytes: UInt64
    /// Whether dispatches are refused for want of room.
    public var isStorageFull: Bool
}
