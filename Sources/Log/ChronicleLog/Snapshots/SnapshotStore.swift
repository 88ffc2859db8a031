public import ChronicleValues

/// A cached state; can be deleted at any time, because the log holds everything.
@dynamicMemberLookup
public struct Snapshot: Sendable, Equatable {
    public let summary: SnapshotSummary
    /// The canonical bytes of the state; empty for a snapshot of a value, which is encoded in pieces when it is written.
    public let state: [UInt8]
    private let value: (any CanonicalCodable)?

    /// Creates a snapshot of bytes, or of a value, which is encoded once here and again on each write.
    public init(
        sequence: UInt64, checksum: UInt64, epoch: UInt64, time: Int64, fingerprint: String, redactions: UInt64 = 0,
        state: [UInt8] = [], of value: (any CanonicalCodable)? = nil
    ) {
        let (digest, stateBytes) = value?.digestAndByteCount ?? (Checksum.of(state.span.bytes), UInt64(state.count))
        (self.state, self.value) = (state, value)
        summary = SnapshotSummary(
            sequence: sequence, checksum: checksum, epoch: epoch, time: time, fingerprint: fingerprint, digest: digest,
            redactions: redactions, stateBytes: stateBytes)
    }

    public subscript<Value>(dynamicMember path: KeyPath<SnapshotSummary, Value>) -> Value { summary[keyPath: path] }

    public func forEachPiece(_ body: ([UInt8]) -> Void) { value.map { $0.forEachPiece(body) } ?? body(state) }

    public static func == (left: Self, right: Self) -> Bool { (left.summary, left.state) == (right.summary, right.state) }

    /// The checkpoint of the log at this snapshot.
    public var head: HeadCheckpoint {
        HeadCheckpoint(
            sequence: summary.sequence, chain: summary.checksum, digest: summary.digest, redactions: summary.redactions)
    }
}

public struct SnapshotSummary: Sendable, Equatable {
    /// The last record folded into the state.
    public var sequence: UInt64
    /// The checksum of that record; a log with a different one can't use the snapshot.
    public var checksum: UInt64
    public var epoch: UInt64
    /// The time of that record, in microseconds since 1970.
    public var time: Int64
    /// Identifies the code that folded the state; a snapshot of other code is not used.
    public var fingerprint: String
    /// The digest of the state; the same for equal states of all builds.
    public var digest: UInt64
    /// Number of redactions of the log when the fold began.
    public var redactions: UInt64
    public var stateBytes: UInt64
}

extension SnapshotSummary: RowCoding {
    public init() {
        (sequence, checksum, epoch, time, fingerprint, digest, redactions, stateBytes) = (0, 0, 0, 0, "", 0, 0, 0)
    }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &sequence)
        try fields.field(2, &checksum)
        try fields.field(3, &epoch)
        try fields.field(4, &time)
        try fields.field(5, &fingerprint)
        // Older builds wrote no digest.
        try fields.field(6, &digest)
        try fields.field(7, &redactions)
        // Omitted if it equals the stored length.
        try fields.field(8, &stateBytes)
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

/// The snapshots of a log: the newest two for a start, and those along the log for reading the past.
public struct SnapshotStore: Sendable {
    public static let newestMax = 2

    private let newest: any SnapshotSeries
    public let history: any SnapshotSeries
    /// The path index; `nil` if it is not kept.
    public let places: (any PlaceSeries)?

    public init(
        newest: any SnapshotSeries, history: any SnapshotSeries, places: (any PlaceSeries)? = nil
    ) {
        self.newest = newest
        self.places = places
        self.history = history
    }

    /// Writes a snapshot and removes all but the newest two; if it throws, the old ones stay.
    public func write(_ snapshot: Snapshot) throws(ActionLogError) {
        try newest.write(snapshot) { _ in true }
        for sequence in newest.sequences().dropLast(Self.newestMax) { newest.remove(sequence) }
    }

    /// The newest snapshot of the given code up to a sequence that the caller accepts, or `nil`.
    ///
    /// The caller checks that its log has the snapshot's record.
    public func newest(
        fingerprint: String, through sequence: UInt64, where accepts: (Snapshot) -> Bool = { _ in true }
    ) -> Snapshot? {
        for candidate in sequences().reversed() where candidate <= sequence {
            guard let snapshot = read(candidate), snapshot.fingerprint == fingerprint, accepts(snapshot) else { continue }
            return snapshot
        }
        return nil
    }

    /// The sequences of the newest snapshots, usable or not, in ascending order.
    public func sequences() -> [UInt64] { newest.sequences() }

    public func read(_ sequence: UInt64) -> Snapshot? { newest.read(sequence) }

    /// Number of canonical bytes of the state of a snapshot of either kind; 0 if missing.
    public func stateBytes(of sequence: UInt64) -> UInt64 {
        (history.summary(sequence) ?? newest.summary(sequence))?.stateBytes ?? 0
    }

    public func remove(_ sequence: UInt64) {
        newest.remove(sequence)
        history.remove(sequence)
    }

    /// Removes everything derived from the records from a sequence on: the log has changed there.
    public func removeAll(from sequence: UInt64) {
        for series in [newest, history] { series.removeAll { $0 >= sequence } }
        if let places {
            for first in places.firsts() where first + places.recordsMax > sequence { places.remove(first) }
        }
    }

    /// Removes snapshots of redacted content: a process may end between a redaction and the removal.
    public func removeOutdated(by redactions: Redactions) {
        guard redactions.count > 0 else { return }
        newest.removeOutdated(by: redactions)
        history.removeOutdated(by: redactions)
    }

    /// Removes everything derived from records before a sequence: it can't be read any more.
    public func removeAll(before sequence: UInt64) {
        for series in [newest, history] { series.removeAll { $0 < sequence } }
        if let places {
            for first in places.firsts() where first + places.recordsMax <= sequence { places.remove(first) }
        }
    }
}

/// The rules for snapshots along a log, so that a past state needs only a short fold; they are thinned out to keep to a budget.
public enum HistorySnapshots {
    /// Minimum number of records between two snapshots.
    public static let recordsMin: UInt64 = 8_192
    /// Maximum number of records between two snapshots if the budget allows.
    public static let recordsMax: UInt64 = 65_536

    public struct Place: Sendable, Equatable {
        public var sequence: UInt64
        public var bytes: Int

        public init(sequence: UInt64, bytes: Int) { (self.sequence, self.bytes) = (sequence, bytes) }
    }

    public static func hasRoom(for new: Place, among places: [Place], budgetBytes: Int) -> Bool {
        unneeded(in: places, for: new, budgetBytes: budgetBytes) != nil
    }

    /// The snapshots to remove for a new one; `nil` if the budget has no space for it.
    ///
    /// A snapshot is removable if its neighbours are at most `recordsMax` records apart; the closest neighbours first.
    static func unneeded(in places: [Place], for new: Place, budgetBytes: Int) -> [UInt64]? {
        var rest = places.filter { $0.sequence != new.sequence }
        let index = rest.firstIndex { $0.sequence > new.sequence } ?? rest.count
        rest.insert(new, at: index)
        var bytes = rest.reduce(0) { $0 + $1.bytes }
        var unneeded: [UInt64] = []
        while bytes > budgetBytes {
            let gaps = rest.indices.dropFirst().dropLast().map { (rest[$0 + 1].sequence - rest[$0 - 1].sequence, $0) }
            guard let closest = gaps.min(by: { $0.0 < $1.0 }), closest.0 <= recordsMax else { return nil }
            let gone = rest.remove(at: closest.1)
            guard gone.sequence != new.sequence else { return nil }
            bytes -= gone.bytes
            unneeded.append(gone.sequence)
        }
        return unneeded
    }
}

extension SnapshotSeries {
    public func places() -> [HistorySnapshots.Place] {
        sequences().compactMap { sequence in
            byteCount(of: sequence).map { HistorySnapshots.Place(sequence: sequence, bytes: $0) }
        }
    }

    /// Writes a snapshot if the budget allows it, possibly after thinning out; returns whether it did.
    @discardableResult
    public func write(_ snapshot: Snapshot, budgetBytes: Int) throws(ActionLogError) -> Bool {
        var isKept = false
        try write(snapshot) { bytes in
            let place = HistorySnapshots.Place(sequence: snapshot.sequence, bytes: bytes)
            guard let unneeded = HistorySnapshots.unneeded(in: places(), for: place, budgetBytes: budgetBytes) else {
                return false
            }
            for sequence in unneeded { remove(sequence) }
            isKept = true
            return true
        }
        return isKept
    }

    func removeAll(where isUnusable: (UInt64) -> Bool) {
        for sequence in sequences() where isUnusable(sequence) { remove(sequence) }
    }

    /// Removes snapshots that are unreadable or may contain redacted content.
    fileprivate func removeOutdated(by redactions: Redactions) {
        removeAll { sequence in
            summary(sequence).map { redactions.leave(sequence, foldedAfter: $0.redactions) } != true
        }
    }
}
