import Chronicle
public import ChronicleLog

/// A part of another log's history to append, byte for byte; its commands are held until someone releases them.
public struct ImportBatch: Sendable {
    public struct Key: Sendable {
        public var place: KeyPlace
        public var row: KeyRow

        public init(place: KeyPlace, row: KeyRow) {
            self.place = place
            self.row = row
        }
    }

    /// The base with which an empty log begins, if the history was compacted.
    public var base: BaseRow?
    /// The records, by sequence; at most `Limits.flushRecordsMax`.
    public var records: [SealedRecord]
    /// All keys of the records that the base replaces.
    public var baseKeys: PackedKeys
    /// The keys whose last record is among the records.
    public var keys: [Key]
    /// The rows of the commands that are open after the last record; other commands wait.
    public var outbox: [OutboxRow]
    /// Called on the store's thread when the log has begun with the base, before the state is published.
    public var whenBegun: (@Sendable () -> Void)?

    public init(
        base: BaseRow? = nil, baseKeys: PackedKeys = PackedKeys(), records: [SealedRecord] = [], keys: [Key] = [],
        outbox: [OutboxRow] = []
    ) {
        (self.base, self.baseKeys, self.records, self.keys, self.outbox) = (base, baseKeys, records, keys, outbox)
    }
}

/// Limits of the numbers in an imported history, so that the log can continue after it: an export can contain any number.
public enum ImportLimits {
    /// Microseconds that a record's time may be ahead of the clock.
    public static let timeAheadMicrosecondsMax: Int64 = 24 * 3_600 * 1_000_000
    /// Microseconds that a command's due time may be ahead of the clock: ten years.
    public static let dueAheadMicrosecondsMax: Int64 = 3_652 * 86_400 * 1_000_000
    /// The last sequence of an import: far below 2^53, up to which JSON numbers are exact.
    public static let sequenceMax: UInt64 = 1 << 52
    /// Bytes of the base: an import holds the base, its encoded and its decoded state, which must fit into the daemon's 2 GiB.
    public static let baseBytesMax = 256 << 20
    /// Rows of all kinds beside the base's state.
    public static let baseRowsMax = Limits.openCommandsMax + Limits.bookmarksMax + Limits.invariantsMax + 1
    /// Keys of compacted records; an import holds 85 bytes of each until one transaction has written all: 2,000,000 took 385 MB.
    public static let baseKeysMax: UInt64 = 1 << 23
    /// Ids assigned under all those keys: a run of any length takes a few bytes of an export, but 8 bytes per id in memory.
    public static let baseKeyIDsMax: UInt64 = 1 << 24
    /// Ids assigned under one key: twice the maximum of a merged fork.
    public static let keyIDsMax: UInt64 = 1 << 21
    /// Records of one key: more than the largest undo has.
    public static let keyRecordsMax: UInt64 = 1 << 22
    /// Keys named by an import, to detect duplicates; 64 bits are kept of each, 0.6 GB in total.
    public static let namedKeysMax = 1 << 25
    public static let attemptsMax: UInt32 = 1_000_000

    /// The reason why a record can't be imported at a time, as the rest of a sentence; `nil` if it can.
    public static func objection(to header: RecordHeader, at now: Int64) -> String? {
        if let objection = objection(toTime: header.time, at: now) { return objection }
        if header.sequence > sequenceMax { return objectionToSequence }
        if header.step > header.sequence { return "belongs to a step that comes after it" }
        if let cause = header.cause, cause.sequence >= header.sequence { return "names a cause that comes after it" }
        if let undoes = header.undoes, undoes >= max(1, header.step) { return "undoes a step that comes after its own" }
        return objection(toDue: header.due, at: now)
    }

    public static func objection(to row: OutboxRow, at now: Int64) -> String? {
        if row.attempts > attemptsMax { return "was attempted \(row.attempts) times, more often than a command can be" }
        if row.waits > CommandTicket.waitsMax { return "was postponed \(row.waits) times, more often than a command can be" }
        return objection(toDue: row.due, at: now)
    }

    static let objectionToSequence = "is after record \(sequenceMax), which no log reaches"

    static func objection(toTime time: Int64, at now: Int64) -> String? {
        if time < 1 { return "has a time before 1970" }
        let isAhead = time.subtracting(clamping: now) > timeAheadMicrosecondsMax
        return isAhead ? "has a time more than a day ahead of this machine's clock" : nil
    }

    private static func objection(toDue due: Int64, at now: Int64) -> String? {
        if due < 0 { return "was due before 1970" }
        return due.subtracting(clamping: now) > dueAheadMicrosecondsMax ? "is due in more than ten years" : nil
    }
}
