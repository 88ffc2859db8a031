/// The log of actions: append-only, checked on every read, and the only thing that the state rests on.
///
/// Appends come from one thread; reads from any, at any time. Nothing here suspends.
public protocol ActionLog: Sendable {
    var head: Head { get }

    /// Commits a flush: all of it or nothing, and on disk when this returns.
    ///
    /// Throws `storageFull` (nothing was written, the flush can be tried again), `unknownOutcome` (end the process), or
    /// `contradiction` when the flush does not follow the head, adds a key that exists, or changes a command that does not.
    func append(_ flush: Flush) throws(ActionLogError)

    /// Reads whole records in order, until a limit is reached or the closure gives `false`, and gives the next sequence to
    /// read. The first record is read whatever its size.
    ///
    /// Every record is checked, and so is its link to the one before. Throws `damaged` with the first sequence that is not
    /// as it was written; what was lent before that is good. No view of the log is held longer than 256 records or 1 MiB.
    func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// Reads like `read`, with all checks, but only what a fold needs of the headers.
    func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// Reads like `read`, with all checks, and lends each record as it is stored.
    func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// The first record at or after a time in microseconds since 1970; the one behind the head when there is none.
    func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64

    /// The last record at or before a time in microseconds since 1970, of those of a range that the log has; the one before these when
    /// there is none.
    func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64

    /// The checksum of a record, which stands for all history up to it; 0 for 0, `nil` behind the head.
    func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64?

    /// What a dispatch under a key of a uid did.
    func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow?

    /// The open commands of one moment, in the order in which they start, and the last record of then.
    ///
    /// Up to that one records can be read, also in a log that is open for reading alone and ended earlier when it was opened.
    func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64)

    /// The rows of keys behind a place, in the order of uid and key, and the last place that was read; `nil` at the end.
    ///
    /// Every row is checked. No more than `rowsMax` rows are lent.
    func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace?

    /// Where a bookmark stands; `nil` when there is none of this name.
    func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow?

    /// All bookmarks, by name.
    func bookmarks() throws(ActionLogError) -> [BookmarkRow]

    /// Reads again what stands beside the records: whose log it is, where it ends, and what was written down about that.
    ///
    /// Throws `damaged` when something is not as it was written.
    func checkEnds() throws(ActionLogError)

    /// How large the log is; walks the list of free pages, so not for every flush.
    func storage() throws(ActionLogError) -> StorageUse

    /// How much can still be written; cheap enough to ask before every flush.
    func headroom() -> Headroom

    /// Puts other payloads in the place of those that records have, all of them or none; the checksums of all records stay what they were.
    ///
    /// Comes from the thread of the appends. Throws what `append` throws, and `damaged`.
    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError)

    /// What was put into records since they were written.
    var redactions: Redactions { get }

    /// Where the log begins if it was compacted; `nil`: with the first record.
    var base: Base? { get }

    /// The base with its state, and with what was kept of rows beside it; `nil` without one.
    func baseRow() throws(ActionLogError) -> BaseRow?

    /// Writes down beside the log where it ends, so that a log that lost its end is found out.
    func anchor() throws(ActionLogError)
}

extension ActionLog {
    /// Puts another payload in the place of a record's own.
    public func redact(_ sequence: UInt64, payload: [UInt8]) throws(ActionLogError) {
        try redact([(sequence: sequence, payload: payload)])
    }

    /// None, for logs that are never compacted.
    public var base: Base? { nil }

    /// None, for logs that are never compacted.
    public func baseRow() throws(ActionLogError) -> BaseRow? { nil }

    /// What was kept of rows beside the base; `nil` without one.
    public func kept() throws(ActionLogError) -> CompactionSummary? { try baseRow()?.kept }

    /// The open commands, in the order in which they start.
    public func outbox() throws(ActionLogError) -> [OutboxRow] { try openCommands().rows }

    /// Whether what a snapshot says of itself is true of this log: it has that record, and nothing of the state was taken out of it since.
    public func isConsistent(sequence: UInt64, checksum: UInt64, redactions count: UInt64) -> Bool {
        (try? self.checksum(of: sequence)) == checksum && redactions.leave(sequence, foldedAfter: count)
    }

    /// The first record that there is, or will be.
    public var first: UInt64 { (base?.sequence ?? 0) + 1 }

    /// The last record at or before a time in microseconds since 1970; the one before the first when there is none.
    public func sequence(atOrBefore time: Int64) throws(ActionLogError) -> UInt64 {
        try sequence(atOrBefore: time, in: 0...(.max))
    }

    /// Reads whole records without a limit.
    public func read(
        from first: UInt64, through last: UInt64, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try read(from: first, through: last, recordsMax: .max, bytesMax: .max, body)
    }
}
