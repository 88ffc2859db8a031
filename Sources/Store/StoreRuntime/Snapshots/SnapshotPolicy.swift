public import Records

/// Decides when a state is encoded for snapshots, and as what it is kept.
///
/// To encode a large state takes longer than all else about a snapshot, so what nobody would keep is not encoded.
public struct SnapshotPolicy: Sendable, Equatable {
    /// As what a snapshot is kept.
    public struct Use: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// Makes one of bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// As the newest, from which a start goes on.
        public static let start = Use(rawValue: 1)
        /// As one of those all along the log, for reading the past.
        public static let history = Use(rawValue: 2)
    }

    /// What is known of a log and of the snapshots along it.
    public struct Room: Sendable, Equatable {
        /// How many records the log holds.
        public var records: UInt64
        /// What they take, in bytes.
        public var logBytes: UInt64
        public var places: [HistorySnapshots.Place]

        /// Makes one; without arguments, of nothing.
        public init(records: UInt64 = 0, logBytes: UInt64 = 0, places: [HistorySnapshots.Place] = []) {
            self.records = records
            self.logBytes = logBytes
            self.places = places
        }

        /// Asks a log, and looks at the files beside it.
        public init(of log: any ActionLog, _ history: HistorySnapshots) {
            let use = try? log.storage()
            self.init(
                records: log.head.sequence - min(log.head.sequence, log.base?.sequence ?? 0),
                logBytes: UInt64(use?.usedBytes ?? 0), places: history.places())
        }

        /// The bytes that the snapshots of history may take together: half of what the log takes.
        public var budgetBytes: UInt64 { logBytes / 2 }

        /// Records between two snapshots of history that take so many bytes, so far apart that all of them keep to the budget.
        public func historyStep(bytes: UInt64) -> UInt64 {
            let recordBytes = max(1, logBytes / max(1, records))
            return max(HistorySnapshots.recordsMin, bytes / recordBytes * 2)
        }

        /// Whether a further snapshot of history that takes so many bytes would be kept.
        public func keeps(_ sequence: UInt64, bytes: UInt64) -> Bool {
            let place = HistorySnapshots.Place(sequence: sequence, bytes: Int(clamping: bytes))
            return HistorySnapshots.hasRoom(for: place, among: places, budgetBytes: Int(clamping: budgetBytes))
        }
    }

    /// The sequence of the newest snapshot for a start; 0: there is none.
    public var start: UInt64
    /// The sequence of the newest one of history; 0: there is none.
    public var history: UInt64
    /// How many bytes the state had when it was encoded last; 0: that is not known.
    public var stateBytes: UInt64
    /// From where on it is looked whether there is room for one of history.
    private var nextLook: UInt64

    /// Goes on from the newest snapshots.
    public init(start: UInt64 = 0, history: UInt64 = 0, stateBytes: UInt64 = 0) {
        self.start = start
        self.history = history
        self.stateBytes = stateBytes
        nextLook = history + HistorySnapshots.recordsMin
    }

    /// As what a snapshot of the newest state may be worth its while; cheap enough to ask after every flush.
    ///
    /// For a start when the records since the last one take longer to fold than the snapshot to load.
    public func candidate(at sequence: UInt64) -> Use {
        var use: Use = []
        let worth = max(Limits.snapshotRecordsMin, stateBytes / Limits.snapshotBytesPerRecord)
        if sequence >= start, sequence - start >= worth { use.insert(.start) }
        if sequence >= nextLook { use.insert(.history) }
        return use
    }

    /// As what a snapshot of a candidate is kept, once the room is known; it is encoded unless that is nothing.
    public mutating func use(_ candidate: Use, at sequence: UInt64, _ room: Room) -> Use {
        var use = candidate
        if use.contains(.start), sequence <= start { use.remove(.start) }
        guard use.contains(.history) else { return use }
        // By what is encoded, not by what is kept of it: beside dispatches nothing is done more often for being kept smaller. What there is
        // room for between two is filled in later, when nobody waits.
        let due = history + room.historyStep(bytes: stateBytes)
        if sequence >= due, room.keeps(sequence, bytes: stateBytes) {
            nextLook = sequence + HistorySnapshots.recordsMin
            return use
        }
        use.remove(.history)
        // What comes may take more room in the log than what was, and then one is due sooner.
        nextLook = due > sequence ? min(due, sequence + HistorySnapshots.recordsMax) : sequence + HistorySnapshots.recordsMin
        return use
    }

    /// Takes note of a snapshot that was encoded, and as what it is kept.
    public mutating func note(_ use: Use, at sequence: UInt64, bytes: UInt64) {
        stateBytes = bytes
        if use.contains(.start) { start = sequence }
        if use.contains(.history) { history = sequence }
    }

    /// Takes note that the snapshots from a sequence on are gone.
    public mutating func forget(from sequence: UInt64) {
        if start >= sequence { (start, stateBytes) = (0, 0) }
        history = min(history, sequence - 1)
        nextLook = min(nextLook, history + HistorySnapshots.recordsMin)
    }
}
