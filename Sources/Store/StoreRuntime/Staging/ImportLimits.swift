public import Records
import Reducing

/// What the numbers of another history may be, so that this log can go on behind it.
///
/// Checksums have no key, so whoever writes an export can write any number into it. A time near the largest that there is
/// would leave none for the records that follow.
public enum ImportLimits {
    /// Microseconds that a record's time may lie ahead of the clock.
    public static let timeAheadMicrosecondsMax: Int64 = 24 * 3_600 * 1_000_000
    /// Microseconds that a command's due time may lie ahead of the clock: ten years.
    public static let dueAheadMicrosecondsMax: Int64 = 3_652 * 86_400 * 1_000_000
    /// The last record of another history: far below 2^53, up to which numbers are exact on the wire, so that the log can go on behind it.
    public static let sequenceMax: UInt64 = 1 << 52
    /// Bytes of what a compacted log begins with: an import holds them, the bytes of their state, and that state, which takes several
    /// times as much, and all of it has to fit into the 2 GiB from which on the daemon is slowed down.
    public static let baseBytesMax = 256 << 20
    /// Rows beside the state of that, of all kinds together.
    public static let baseRowsMax = Limits.openCommandsMax + Limits.bookmarksMax + Limits.invariantsMax + 1
    /// Keys of records that are gone: each keyed dispatch has one, and a compaction keeps them.
    ///
    /// An import holds them, 85 bytes each, until the log has begun with all of them in one transaction: of 2,000,000 the daemon had 385 MB at
    /// most, the half of them pages of the database.
    public static let baseKeysMax: UInt64 = 1 << 23
    /// Ids that those keys handed out, of all keys together: a run of any length takes a few bytes of an export, and 8 for each in memory.
    public static let baseKeyIDsMax: UInt64 = 1 << 24
    /// Ids that one key handed out: twice what a fork's work as a single dispatch has room for.
    public static let keyIDsMax: UInt64 = 1 << 21
    /// Records of one key: more than an undo, the largest of all dispatches, has room for.
    ///
    /// Each is answered by its number.
    public static let keyRecordsMax: UInt64 = 1 << 22
    /// Keys that an import names, so that none is named twice: it holds 64 bits of each, 0.6 GB of so many.
    public static let namedKeysMax = 1 << 25
    /// Attempts of an open command.
    public static let attemptsMax: UInt32 = 1_000_000

    /// Why a record can't be taken over at a time, as the rest of a sentence; `nil` when it can.
    public static func objection(to header: RecordHeader, at now: Int64) -> String? {
        if let objection = objection(toTime: header.time, at: now) { return objection }
        if header.sequence > sequenceMax { return objectionToSequence }
        if header.step > header.sequence { return "belongs to a step that comes after it" }
        if let cause = header.cause, cause.sequence >= header.sequence { return "names a cause that comes after it" }
        if let undoes = header.undoes, undoes >= max(1, header.step) { return "takes back a step that comes after its own" }
        return objection(toDue: header.due, at: now)
    }

    /// Why an open command can't be taken over at a time, as the rest of a sentence; `nil` when it can.
    public static func objection(to row: OutboxRow, at now: Int64) -> String? {
        if row.attempts > attemptsMax { return "was attempted \(row.attempts) times, more often than a command can be" }
        if row.waits > CommandTicket.waitsMax { return "was put off \(row.waits) times, more often than a command can be" }
        return objection(toDue: row.due, at: now)
    }

    static let objectionToSequence = "is behind record \(sequenceMax), which no log reaches"

    static func objection(toTime time: Int64, at now: Int64) -> String? {
        if time < 1 { return "is of a time before 1970" }
        let isAhead = time.subtracting(clamping: now) > timeAheadMicrosecondsMax
        return isAhead ? "is of a time more than a day ahead of this machine's clock" : nil
    }

    private static func objection(toDue due: Int64, at now: Int64) -> String? {
        if due < 0 { return "was due before 1970" }
        return due.subtracting(clamping: now) > dueAheadMicrosecondsMax ? "is due in more than ten years" : nil
    }
}
