/// The append-only log of actions; every read is checked.
///
/// Appends come from one thread, reads from any thread at any time. Nothing here suspends.
public protocol ActionLog: Sendable {
    var head: Head { get }

    /// Commits a flush atomically; it is on disk when this returns.
    ///
    /// Throws `storageFull` (nothing was written, retry is possible), `unknownOutcome` (end the process), or `contradiction` if
    /// the flush does not follow the head, adds an existing key, or changes a command that is not open.
    func append(_ flush: Flush) throws(ActionLogError)

    /// Reads records in order until a limit is reached or the closure returns `false`; returns the next sequence to read.
    ///
    /// The first record is read whatever its size. Every record and its link to the one before are checked: `damaged` names the
    /// first bad sequence, and everything passed before it is good. No read transaction lasts longer than 256 records or 1 MiB.
    func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// Reads like `read`, but decodes only the header fields that a fold needs.
    func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// Reads like `read`, but passes each record as stored.
    func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// Of the existing records of a range, the last at or before a time in microseconds since 1970; the one before these if all
    /// are later.
    func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64

    /// The checksum of a record, which covers all history up to it; 0 for 0, `nil` after the head.
    func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64?

    /// The row of an idempotency key of a uid.
    func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow?

    /// The open commands in the order in which they start, and the last record, both of one read transaction.
    ///
    /// Afterwards records can be read up to that one, even if a log opened read-only ended earlier.
    func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64)

    /// Passes at most `rowsMax` checked rows of keys after a place, ordered by uid and key; returns the last place, or `nil` at
    /// the end.
    func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace?

    func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow?

    /// All bookmarks, sorted by name.
    func bookmarks() throws(ActionLogError) -> [BookmarkRow]

    /// Reads the header row and the end of the log again; throws `damaged` if they are inconsistent.
    func checkEnds() throws(ActionLogError)

    /// The size of the log; walks the list of free pages, so not for every flush.
    func storage() throws(ActionLogError) -> StorageUse

    /// The free space; cheap enough to read before every flush.
    func headroom() -> FreeSpace

    /// Replaces the payloads of records atomically; the checksums of all records stay the same.
    ///
    /// Called on the thread of the appends. Throws what `append` throws, and `damaged`.
    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError)

    var redactions: Redactions { get }

    /// The base of a compacted log; `nil` if the log has all records.
    var base: Base? { get }

    /// The base with its state and the rows kept with it; `nil` if the log has all records.
    func baseRow() throws(ActionLogError) -> BaseRow?

    /// Writes a checkpoint of the head next to the log, so that a truncated log is detected.
    func anchor() throws(ActionLogError)
}

extension ActionLog {
    public func redact(_ sequence: UInt64, payload: [UInt8]) throws(ActionLogError) {
        try redact([(sequence: sequence, payload: payload)])
    }

    public var base: Base? { nil }

    public func baseRow() throws(ActionLogError) -> BaseRow? { nil }

    public func kept() throws(ActionLogError) -> CompactionSummary? { try baseRow()?.kept }

    public func outbox() throws(ActionLogError) -> [OutboxRow] { try openCommands().rows }

    /// Whether a snapshot belongs to this log: the log has its record, and no redaction since then affects the state.
    public func isConsistent(sequence: UInt64, checksum: UInt64, redactions count: UInt64) -> Bool {
        (try? self.checksum(of: sequence)) == checksum && redactions.leave(sequence, foldedAfter: count)
    }

    /// The first record of the log, present or future.
    public var first: UInt64 { (base?.sequence ?? 0) + 1 }

    /// The first record at or after a time in microseconds since 1970; the head's sequence + 1 if all are earlier.
    public func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64 {
        try sequence(atOrBefore: time.subtracting(clamping: 1)) + 1
    }

    public func sequence(atOrBefore time: Int64) throws(ActionLogError) -> UInt64 {
        try sequence(atOrBefore: time, in: 0...(.max))
    }

    public func read(
        from first: UInt64, through last: UInt64, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try read(from: first, through: last, recordsMax: .max, bytesMax: .max, body)
    }
}
