public import ChronicleValues

/// A cached state; can be deleted at any time, because the log holds everything.
public struct Snapshot: Sendable, Equatable {
    /// The last record folded into the state.
    public var sequence: UInt64
    /// The checksum of that record; a log with a different one can't use the snapshot.
    public var checksum: UInt64
    public var epoch: UInt64
    /// The time of that record, in microseconds since 1970.
    public var time: Int64
    /// Identifies the code that folded the state; a snapshot of other code is not used.
    public var fingerprint: String
    /// Number of redactions of the log when the fold began.
    public var redactions: UInt64
    /// The canonical bytes of the state; empty for a snapshot of a value, which is encoded in pieces when it is written.
    public let state: [UInt8]
    private let value: (any CanonicalCodable)?
    /// The digest of the state; the same for equal states of all builds.
    public let digest: UInt64
    public let stateBytes: UInt64

    /// Creates a snapshot of bytes, or of a value, which is encoded once here and again on each write.
    public init(
        sequence: UInt64, checksum: UInt64, epoch: UInt64, time: Int64, fingerprint: String, redactions: UInt64 = 0,
        state: [UInt8] = [], of value: (any CanonicalCodable)? = nil
    ) {
        (self.state, self.value) = (state, value)
        (digest, stateBytes) = value?.digestAndByteCount ?? (Checksum.of(state.span.bytes), UInt64(state.count))
        self.sequence = sequence
        self.checksum = checksum
        self.epoch = epoch
        self.time = time
        self.fingerprint = fingerprint
        self.redactions = redactions
    }

    public func forEachPiece(_ body: ([UInt8]) -> Void) { value.map { $0.forEachPiece(body) } ?? body(state) }

    public static func == (left: Self, right: Self) -> Bool {
        (left.epoch, left.time, left.state) == (right.epoch, right.time, right.state)
            && SnapshotSummary(left) == SnapshotSummary(right)
    }

    /// The checkpoint of the log at this snapshot.
    public var head: HeadCheckpoint {
        HeadCheckpoint(sequence: sequence, chain: checksum, digest: digest, redactions: redactions)
    }
}

public struct SnapshotSummary: Sendable, Equatable {
    public var sequence: UInt64
    public var checksum: UInt64
    public var fingerprint: String
    public var digest: UInt64
    public var redactions: UInt64
    public var stateBytes: UInt64

    public init(
        sequence: UInt64, checksum: UInt64, fingerprint: String, digest: UInt64, redactions: UInt64, stateBytes: UInt64
    ) {
        self.sequence = sequence
        self.checksum = checksum
        self.fingerprint = fingerprint
        self.digest = digest
        self.redactions = redactions
        self.stateBytes = stateBytes
    }

    public init(_ snapshot: Snapshot) {
        self.init(
            sequence: snapshot.sequence, checksum: snapshot.checksum, fingerprint: snapshot.fingerprint, digest: snapshot.digest,
            redactions: snapshot.redactions, stateBytes: snapshot.stateBytes)
    }
}

extension CanonicalCodable {
    /// The checksum and the number of the canonical bytes; a large value is encoded in pieces.
    public var digestAndByteCount: (digest: UInt64, byteCount: UInt64) {
        var running = Checksum.Running()
        forEachPiece { running.add($0) }
        return (running.value, UInt64(running.count))
    }
}

/// Snapshots of one kind, keyed by sequence; torn, damaged or foreign ones are skipped, because the log can be folded again.
public protocol SnapshotSeries: Sendable {
    /// The sequences of all snapshots, usable or not, in ascending order.
    func sequences() -> [UInt64]

    /// The snapshot of a sequence; `nil` unless it is intact and its format is known.
    func read(_ sequence: UInt64) -> Snapshot?

    /// The metadata of a snapshot, without a check of its state; `nil` if damaged.
    func summary(_ sequence: UInt64) -> SnapshotSummary?

    func byteCount(of sequence: UInt64) -> Int?

    /// Writes a snapshot atomically, replacing one of the same sequence, if `accepts` returns `true` for its stored size.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`; then the old snapshot stays.
    func write(_ snapshot: Snapshot, where accepts: (Int) -> Bool) throws(ActionLogError)

    func remove(_ sequence: UInt64)
}
