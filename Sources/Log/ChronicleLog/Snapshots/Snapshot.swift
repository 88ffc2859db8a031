public import ChronicleValues

/// A cached state: may be thrown away at any time, because the log holds everything.
public struct Snapshot: Sendable, Equatable {
    /// The last record that the state holds.
    public var sequence: UInt64
    /// The checksum of that record: a log with another one there is not the snapshot's.
    public var checksum: UInt64
    /// The epoch in which it was taken.
    public var epoch: UInt64
    /// The time of that record, in microseconds since 1970.
    public var time: Int64
    /// Names the code that folded the state; a snapshot of other code is not used.
    public var fingerprint: String
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64
    /// The canonical bytes of the state; empty for a snapshot of a value, which is encoded in pieces when it is written.
    public let state: [UInt8]
    private let value: (any CanonicalCodable)?
    /// The digest of the state: equal states of all builds have the same.
    public let digest: UInt64
    /// How many canonical bytes the state has.
    public let stateBytes: UInt64

    /// Makes a snapshot of bytes, or of a value, which is encoded once here and again whenever the snapshot is written.
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

    /// Passes the canonical bytes of the state to a closure in pieces.
    public func forEachPiece(_ body: ([UInt8]) -> Void) { value.map { $0.forEachPiece(body) } ?? body(state) }

    /// Whether both were read, or are to be written, with the same content.
    public static func == (left: Self, right: Self) -> Bool {
        (left.epoch, left.time, left.state) == (right.epoch, right.time, right.state)
            && SnapshotSummary(left) == SnapshotSummary(right)
    }

    /// Where the log ended that it is of.
    public var head: AnchoredHead {
        AnchoredHead(sequence: sequence, chain: checksum, digest: digest, redactions: redactions)
    }
}

/// What a snapshot says of its state.
public struct SnapshotSummary: Sendable, Equatable {
    /// The last record that the state holds.
    public var sequence: UInt64
    /// The checksum of that record.
    public var checksum: UInt64
    /// Names the code that folded the state.
    public var fingerprint: String
    /// The digest of the state.
    public var digest: UInt64
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64
    /// How many canonical bytes the state has.
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

    /// What a snapshot says.
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

/// Keeps snapshots of one kind, each under its sequence.
///
/// What is torn, damaged or of another log is passed over, because the log can always be folded again.
public protocol SnapshotSeries: Sendable {
    /// The sequences of all snapshots, whether they can be used or not, the smallest first.
    func sequences() -> [UInt64]

    /// The snapshot of a sequence; `nil` unless it is exactly what was written, by a build whose format this one knows.
    func read(_ sequence: UInt64) -> Snapshot?

    /// What a snapshot says of its state; `nil` when it is damaged, though its state may be even if this is given.
    func summary(_ sequence: UInt64) -> SnapshotSummary?

    /// How many bytes the snapshot of a sequence takes where it is kept; `nil` when there is none.
    func byteCount(of sequence: UInt64) -> Int?

    /// Keeps a snapshot, whole or not at all, in the place of another of its sequence, if the bytes that it is to take are accepted.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`; what was there before stays then.
    func write(_ snapshot: Snapshot, where accepts: (Int) -> Bool) throws(ActionLogError)

    /// Removes the snapshot of a sequence.
    func remove(_ sequence: UInt64)
}
