/// The snapshots of a log: the newest two for a start, and those along the log for reading the past.
public struct SnapshotStore: Sendable {
    public static let newestMax = 2

    private let newest: any SnapshotSeries
    public let history: HistorySnapshots
    /// The path index; `nil` if it is not kept.
    public let places: (any PlaceSeries)?

    public init(
        newest: any SnapshotSeries, history: any SnapshotSeries, places: (any PlaceSeries)? = nil
    ) {
        self.newest = newest
        self.places = places
        self.history = HistorySnapshots(history)
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
        for place in sequences() where place >= sequence { newest.remove(place) }
        history.removeAll(from: sequence)
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
        for place in sequences() where place < sequence { newest.remove(place) }
        for place in history.sequences() where place < sequence { history.remove(place) }
        if let places {
            for first in places.firsts() where first + places.recordsMax <= sequence { places.remove(first) }
        }
    }
}

/// Snapshots along a log, so that a past state needs only a short fold; thinned out to keep to a budget.
public struct HistorySnapshots: Sendable {
    /// Minimum number of records between two snapshots.
    public static let recordsMin: UInt64 = 8_192
    /// Maximum number of records between two snapshots if the budget allows.
    public static let recordsMax: UInt64 = 65_536

    public struct Place: Sendable, Equatable {
        public var sequence: UInt64
        public var bytes: Int

        public init(sequence: UInt64, bytes: Int) {
            self.sequence = sequence
            self.bytes = bytes
        }
    }

    private let series: any SnapshotSeries

    init(_ series: any SnapshotSeries) { self.series = series }

    public func places() -> [Place] {
        sequences().compactMap { sequence in byteCount(of: sequence).map { Place(sequence: sequence, bytes: $0) } }
    }

    public func sequences() -> [UInt64] { series.sequences() }

    public func read(_ sequence: UInt64) -> Snapshot? { series.read(sequence) }

    public func summary(_ sequence: UInt64) -> SnapshotSummary? { series.summary(sequence) }

    public func byteCount(of sequence: UInt64) -> Int? { series.byteCount(of: sequence) }

    /// Writes a snapshot if the budget allows it, possibly after thinning out; returns whether it did.
    @discardableResult
    public func write(_ snapshot: Snapshot, budgetBytes: Int) throws(ActionLogError) -> Bool {
        var isKept = false
        try series.write(snapshot) { bytes in
            let place = Place(sequence: snapshot.sequence, bytes: bytes)
            guard let unneeded = Self.unneeded(in: places(), for: place, budgetBytes: budgetBytes) else { return false }
            for sequence in unneeded { remove(sequence) }
            isKept = true
            return true
        }
        return isKept
    }

    public func remove(_ sequence: UInt64) { series.remove(sequence) }

    public func removeAll(from sequence: UInt64) {
        for place in sequences() where place >= sequence { remove(place) }
    }

    fileprivate func removeOutdated(by redactions: Redactions) { series.removeOutdated(by: redactions) }

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
    /// Removes snapshots that are unreadable or may contain redacted content.
    fileprivate func removeOutdated(by redactions: Redactions) {
        for sequence in sequences() {
            let foldedAfter = summary(sequence)?.redactions
            if foldedAfter.map({ redactions.leave(sequence, foldedAfter: $0) }) != true { remove(sequence) }
        }
    }
}
