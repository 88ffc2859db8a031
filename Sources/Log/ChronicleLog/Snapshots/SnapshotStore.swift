/// The snapshots of a log: the newest two, from which a start goes on, and those all along the log, for reading the past.
public struct SnapshotStore: Sendable {
    /// How many of the newest are kept.
    public static let newestMax = 2

    private let newest: any SnapshotSeries
    /// Those all along the log.
    public let history: HistorySnapshots
    /// Which places each record changed; `nil` where that is not kept.
    public let places: (any PlaceSeries)?

    /// Keeps each kind where it is said.
    public init(
        newest: any SnapshotSeries, history: any SnapshotSeries, places: (any PlaceSeries)? = nil
    ) {
        self.newest = newest
        self.places = places
        self.history = HistorySnapshots(history)
    }

    /// Keeps a snapshot, and removes all but the newest two.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`; what was there before stays then.
    public func write(_ snapshot: Snapshot) throws(ActionLogError) {
        try newest.write(snapshot) { _ in true }
        for sequence in newest.sequences().dropLast(Self.newestMax) { newest.remove(sequence) }
    }

    /// The newest snapshot of the given code, up to a sequence, that the caller accepts; `nil` when there is none.
    ///
    /// The caller says whether its log has the record that the snapshot names by its checksum.
    public func newest(
        fingerprint: String, through sequence: UInt64, where accepts: (Snapshot) -> Bool = { _ in true }
    ) -> Snapshot? {
        for candidate in sequences().reversed() where candidate <= sequence {
            guard let snapshot = read(candidate), snapshot.fingerprint == fingerprint, accepts(snapshot) else { continue }
            return snapshot
        }
        return nil
    }

    /// The sequences of the newest, whether they can be used or not, the oldest first.
    public func sequences() -> [UInt64] { newest.sequences() }

    /// The snapshot of a sequence among the newest; `nil` unless it is exactly what was written.
    public func read(_ sequence: UInt64) -> Snapshot? { newest.read(sequence) }

    /// How many canonical bytes the state of a sequence has, of whichever kind its snapshot is; 0 when there is none.
    public func stateBytes(of sequence: UInt64) -> UInt64 {
        (history.summary(sequence) ?? newest.summary(sequence))?.stateBytes ?? 0
    }

    /// Removes the snapshots of a sequence, of both kinds.
    public func remove(_ sequence: UInt64) {
        newest.remove(sequence)
        history.remove(sequence)
    }

    /// Removes all snapshots from a sequence on, of both kinds: what they hold is no longer what the log says.
    public func removeAll(from sequence: UInt64) {
        for place in sequences() where place >= sequence { newest.remove(place) }
        history.removeAll(from: sequence)
        if let places {
            for first in places.firsts() where first + places.recordsMax > sequence { places.remove(first) }
        }
    }

    /// Removes what was folded of records that hold less since: a process that ends between a redaction and that leaves it.
    public func removeOutdated(by redactions: Redactions) {
        guard redactions.count > 0 else { return }
        newest.removeOutdated(by: redactions)
        history.removeOutdated(by: redactions)
    }

    /// Removes all snapshots before a sequence, of both kinds: nobody can ask for them any more.
    public func removeAll(before sequence: UInt64) {
        for place in sequences() where place < sequence { newest.remove(place) }
        for place in history.sequences() where place < sequence { history.remove(place) }
        if let places {
            for first in places.firsts() where first + places.recordsMax <= sequence { places.remove(first) }
        }
    }
}

/// Snapshots all along a log, so that a state of the past needs only a short fold.
///
/// They are caches through and through, and thinned out where they take too much room.
public struct HistorySnapshots: Sendable {
    /// Records between two of them, at least.
    public static let recordsMin: UInt64 = 8_192
    /// Records between two of them, at most, where there is room.
    public static let recordsMax: UInt64 = 65_536

    /// A snapshot that is there.
    public struct Place: Sendable, Equatable {
        public var sequence: UInt64
        /// Its size.
        public var bytes: Int

        public init(sequence: UInt64, bytes: Int) {
            self.sequence = sequence
            self.bytes = bytes
        }
    }

    private let series: any SnapshotSeries

    init(_ series: any SnapshotSeries) { self.series = series }

    /// All that are there, by sequence, whether they can be used or not.
    public func places() -> [Place] {
        sequences().compactMap { sequence in byteCount(of: sequence).map { Place(sequence: sequence, bytes: $0) } }
    }

    /// Their sequences, the smallest first.
    public func sequences() -> [UInt64] { series.sequences() }

    /// The snapshot of a sequence; `nil` unless it is exactly what was written.
    public func read(_ sequence: UInt64) -> Snapshot? { series.read(sequence) }

    /// What a snapshot says of its state; `nil` when it is damaged, though its state may be even if this is given.
    public func summary(_ sequence: UInt64) -> SnapshotSummary? { series.summary(sequence) }

    /// How many bytes the snapshot of a sequence takes where it is kept; `nil` when there is none.
    public func byteCount(of sequence: UInt64) -> Int? { series.byteCount(of: sequence) }

    /// Keeps a snapshot if all of them together keep to a budget, or can be thinned out to do so; answers whether it did.
    ///
    /// Throws `storageFull`, `notPermitted` or `io`.
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

    /// Removes the snapshot of a sequence.
    public func remove(_ sequence: UInt64) { series.remove(sequence) }

    /// Removes all snapshots from a sequence on: what they hold is no longer what the log says.
    public func removeAll(from sequence: UInt64) {
        for place in sequences() where place >= sequence { remove(place) }
    }

    fileprivate func removeOutdated(by redactions: Redactions) { series.removeOutdated(by: redactions) }

    /// Whether a further one would be kept, and not only be found to have no room.
    public static func hasRoom(for new: Place, among places: [Place], budgetBytes: Int) -> Bool {
        unneeded(in: places, for: new, budgetBytes: budgetBytes) != nil
    }

    /// Which have to go so that there is room for a further one; `nil` when there is none for it.
    ///
    /// Only those go between whose neighbours there are then no more than `recordsMax` records, the closest first.
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
    /// Removes those of which nobody can say that they hold nothing of what was taken out.
    fileprivate func removeOutdated(by redactions: Redactions) {
        for sequence in sequences() {
            let foldedAfter = summary(sequence)?.redactions
            if foldedAfter.map({ redactions.leave(sequence, foldedAfter: $0) }) != true { remove(sequence) }
        }
    }
}
