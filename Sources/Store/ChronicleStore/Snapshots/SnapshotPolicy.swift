public import ChronicleLog

/// Decides when a state is encoded for a snapshot, and for which use.
///
/// Encoding a large state is the expensive part, so nothing is encoded that would not be kept.
public struct SnapshotPolicy: Sendable, Equatable {
    /// The uses of a snapshot.
    public struct Use: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// Creates a set from bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The newest snapshot, for the next start.
        public static let start = Use(rawValue: 1)
        /// A snapshot along the log, for reading the past.
        public static let history = Use(rawValue: 2)
    }

    /// The sizes of a log and of the snapshots along it.
    public struct Room: Sendable, Equatable {
        /// Records in the log.
        public var records: UInt64
        /// Bytes of these records.
        public var logBytes: UInt64
        public var places: [HistorySnapshots.Place]

        /// Creates a value; all zero without arguments.
        public init(records: UInt64 = 0, logBytes: UInt64 = 0, places: [HistorySnapshots.Place] = []) {
            self.records = records
            self.logBytes = logBytes
            self.places = places
        }

        /// Reads the sizes of a log and of its snapshots.
        public init(of log: any ActionLog, _ history: HistorySnapshots) {
            let use = try? log.storage()
            self.init(
                records: log.head.sequence - min(log.head.sequence, log.base?.sequence ?? 0),
                logBytes: UInt64(use?.usedBytes ?? 0), places: history.places())
        }

        /// Maximum bytes of all history snapshots: half of the log.
        public var budgetBytes: UInt64 { logBytes / 2 }

        /// Records between two history snapshots of this size that keeps all of them within the budget.
        public func historyStep(bytes: UInt64) -> UInt64 {
            let recordBytes = max(1, logBytes / max(1, records))
            return max(HistorySnapshots.recordsMin, bytes / recordBytes * 2)
        }

        /// Whether another history snapshot of this size would be kept.
        public func keeps(_ sequence: UInt64, bytes: UInt64) -> Bool {
            let place = HistorySnapshots.Place(sequence: sequence, bytes: Int(clamping: bytes))
            return HistorySnapshots.hasRoom(for: place, among: places, budgetBytes: Int(clamping: budgetBytes))
        }
    }

    /// The sequence of the newest start snapshot; 0 if none.
    public var start: UInt64
    /// The sequence of the newest history snapshot; 0 if none.
    public var history: UInt64
    /// Encoded bytes of the last snapshot; 0 if unknown.
    public var stateBytes: UInt64
    /// The sequence at which the room for a history snapshot is next checked.
    private var nextLook: UInt64

    /// Continues from the newest snapshots.
    public init(start: UInt64 = 0, history: UInt64 = 0, stateBytes: UInt64 = 0) {
        self.start = start
        self.history = history
        self.stateBytes = stateBytes
        nextLook = history + HistorySnapshots.recordsMin
    }

    /// The possible uses of a snapshot of the newest state; cheap enough to call after every flush.
    ///
    /// A start snapshot pays off when the records since the last one take longer to fold than the snapshot takes to load.
    public func candidate(at sequence: UInt64) -> Use {
        var use: Use = []
        let worth = max(Limits.snapshotRecordsMin, stateBytes / Limits.snapshotBytesPerRecord)
        if sequence >= start, sequence - start >= worth { use.insert(.start) }
        if sequence >= nextLook { use.insert(.history) }
        return use
    }

    /// The uses for which a snapshot of a candidate is kept, given the room; empty if it should not be encoded.
    public mutating func use(_ candidate: Use, at sequence: UInt64, _ room: Room) -> Use {
        var use = candidate
        if use.contains(.start), sequence <= start { use.remove(.start) }
        guard use.contains(.history) else { return use }
        // The step depends on the encoded size, so no extra work is done beside dispatches. Gaps are filled later, when the store is idle.
        let due = history + room.historyStep(bytes: stateBytes)
        if sequence >= due, room.keeps(sequence, bytes: stateBytes) {
            nextLook = sequence + HistorySnapshots.recordsMin
            return use
        }
        use.remove(.history)
        // Future records may be larger, which makes the next snapshot due sooner.
        nextLook = due > sequence ? min(due, sequence + HistorySnapshots.recordsMax) : sequence + HistorySnapshots.recordsMin
        return use
    }

    /// Notes that a snapshot was encoded and for which uses it is kept.
    public mutating func note(_ use: Use, at sequence: UInt64, bytes: UInt64) {
        stateBytes = bytes
        if use.contains(.start) { start = sequence }
        if use.contains(.history) { history = sequence }
    }

    /// Notes that the snapshots from a sequence on were removed.
    public mutating func forget(from sequence: UInt64) {
        if start >= sequence { (start, stateBytes) = (0, 0) }
        history = min(history, sequence - 1)
        nextLook = min(nextLook, history + HistorySnapshots.recordsMin)
    }
}
