public import ChronicleValues

/// The append-only log of actions; every read is checked.
///
/// Appends come from one thread, reads from any thread at any time. Nothing here suspends.
public protocol ActionLog: Sendable {
    var head: Head { get }

    /// The rewritten parts of the history.
    var edits: LogEdits { get }

    /// Commits a flush atomically; it is on disk when this returns.
    ///
    /// Throws `storageFull` (nothing was written, retry is possible), `unknownOutcome` (end the process), or `contradiction` if
    /// the flush does not follow the head, adds an existing key, or changes a command that is not open.
    func append(_ flush: Flush) throws(ActionLogError)

    /// Replaces the payloads of records atomically; the checksums of all records stay the same.
    ///
    /// Called on the thread of the appends. Throws what `append` throws, and `damaged`.
    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError)

    /// Passes records in order to a closure until the walk ends or the closure returns `false`; returns the next sequence to read.
    ///
    /// `damaged` names the first bad sequence, and everything passed before it is good. No read transaction lasts longer than 256
    /// records or 1 MiB.
    func walk(
        _ walk: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64

    /// The row of an idempotency key of a uid.
    func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow?

    /// Passes at most `rowsMax` checked rows of keys after a place, ordered by uid and key; returns the last place, or `nil` at
    /// the end.
    func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace?

    /// The open commands in the order in which they start, and the last record, both of one read transaction.
    ///
    /// Afterwards records can be read up to that one, even if a log opened read-only ended earlier.
    func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64)

    /// All bookmarks, sorted by name, or the one with a name.
    func bookmarks(named name: String?) throws(ActionLogError) -> [BookmarkRow]

    /// The base with its state and the rows kept with it; `nil` if the log has all records.
    func baseRow() throws(ActionLogError) -> BaseRow?

    /// The size of the log; walks the list of free pages, so not for every flush.
    func storage() throws(ActionLogError) -> StorageUse

    /// The free space; cheap enough to read before every flush.
    func headroom() -> FreeSpace
}

/// The exceptions to append-only: a compaction and redactions.
public struct LogEdits: Sendable, Equatable {
    /// The base of a compacted log; `nil` if the log has all records.
    public var base: Base?
    public var redactions: Redactions

    public init(base: Base? = nil, redactions: Redactions = Redactions()) { (self.base, self.redactions) = (base, redactions) }
}

extension ActionLog {
    public var base: Base? { edits.base }

    public var redactions: Redactions { edits.redactions }

    /// The first record of the log, present or future.
    public var first: UInt64 { (base?.sequence ?? 0) + 1 }

    /// Reads records in order until a limit is reached or the closure returns `false`; returns the next sequence to read.
    ///
    /// The first record is read whatever its size. Every record and its link to the one before are checked.
    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int = .max, bytesMax: Int = .max,
        _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try walk(RecordWalk(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax)) {
            (value, check, sequence) throws(ActionLogError) in
            body(try check.fullHeader(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    /// Reads like `read`, but decodes only the header fields that a fold needs.
    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try walk(RecordWalk(from: first, through: last)) { (value, check, sequence) throws(ActionLogError) in
            body(try check.fields(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    /// Reads like `read`, but passes each record as stored.
    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try walk(RecordWalk(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax)) {
            (value, _, sequence) throws(ActionLogError) in
            body(try SealedRecord([UInt8](value), sequence: sequence))
        }
    }

    /// Reads one record as stored.
    public func sealed(_ sequence: UInt64) throws(ActionLogError) -> SealedRecord {
        var found: SealedRecord?
        _ = try sealed(from: sequence, through: sequence, recordsMax: 1, bytesMax: .max) {
            found = $0
            return false
        }
        guard let found else { throw .contradiction(what: "there is no record \(sequence)") }
        return found
    }

    /// The checksum of a record, which covers all history up to it; 0 for 0, `nil` after the head and before the base.
    public func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? {
        guard sequence > 0 else { return 0 }
        if let found = try mark(of: sequence) { return found.checksum }
        return base.flatMap { $0.sequence == sequence ? $0.checksum : nil }
    }

    /// Of the existing records of a range, the last at or before a time in microseconds since 1970; the one before these if all
    /// are later.
    public func sequence(
        atOrBefore time: Int64, in range: ClosedRange<UInt64> = 0...(.max)
    ) throws(ActionLogError) -> UInt64 {
        var low = max(range.lowerBound, first)
        var high = min(range.upperBound, head.sequence) + 1
        while low < high {
            let middle = low + (high - low) / 2
            // A record that has just been compacted away is earlier.
            if let found = try mark(of: middle), found.time > time { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// The first record at or after a time in microseconds since 1970; the head's sequence + 1 if all are earlier.
    public func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64 {
        try sequence(atOrBefore: time.subtracting(clamping: 1)) + 1
    }

    // The record before it may be damaged; `nil` if the log does not have this one.
    private func mark(of sequence: UInt64) throws(ActionLogError) -> (checksum: UInt64, time: Int64)? {
        var found: (checksum: UInt64, time: Int64)?
        do throws(ActionLogError) {
            _ = try walk(RecordWalk(only: sequence)) { (value, check, sequence) throws(ActionLogError) in
                found = (check.checksum, try check.fields(value, sequence: sequence).time)
                return false
            }
        } catch {
            guard case .pruned = error else { throw error }
        }
        return found
    }

    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] { try bookmarks(named: nil) }

    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? { try bookmarks(named: name).first }

    public func outbox() throws(ActionLogError) -> [OutboxRow] { try openCommands().rows }

    public func kept() throws(ActionLogError) -> CompactionSummary? { try baseRow()?.kept }

    /// The base of a compacted log with its state; `nil` for a log that has all records.
    ///
    /// Throws what every read throws, and `undecodable` for a state that this version can't decode.
    public func baseState<State: CanonicalCodable>(as type: State.Type) throws(ActionLogError) -> (base: Base, state: State)? {
        guard let row = try baseRow() else { return nil }
        do throws(CanonicalError) { return (row.base, try State(canonical: row.state)) } catch {
            throw .undecodable(sequence: row.base.sequence, what: "the base: \(error.sentence)")
        }
    }

    public func redact(_ sequence: UInt64, payload: [UInt8]) throws(ActionLogError) {
        try redact([(sequence: sequence, payload: payload)])
    }

    /// Whether a snapshot belongs to this log: the log has its record, and no redaction since then affects the state.
    public func isConsistent(sequence: UInt64, checksum: UInt64, redactions count: UInt64) -> Bool {
        (try? self.checksum(of: sequence)) == checksum && redactions.leave(sequence, foldedAfter: count)
    }

    // The log itself, if it is kept in files.
    private var files: (any LogFiles)? { (self as? any LogFiles) ?? (self as? any ForwardingLog)?.wrapped.files }

    /// Reads the header row and the end of the log again; throws `damaged` if they are inconsistent.
    public func checkEnds() throws(ActionLogError) { try files?.checkFiles() }

    /// Writes a checkpoint of the head next to the log, so that a truncated log is detected.
    public func anchor() throws(ActionLogError) { try files?.writeAnchor() }
}

extension CanonicalCodable {
    /// Passes the records of a log in order, each with its action, to a closure until the last one or until it returns `false`.
    ///
    /// Not a method of the log: that would not be specialized for the action. Throws what every read throws, and `undecodable`
    /// for an action that this version can't decode.
    public static func read(
        _ log: any ActionLog, from first: UInt64, through last: UInt64, _ body: (HeaderFields, Self?) -> Bool
    ) throws(ActionLogError) {
        guard first <= last else { return }
        var undecodable: ActionLogError?
        _ = try log.fold(from: first, through: last) { record, payload in
            guard record.kind.holdsAction(payloadBytes: payload.byteCount) else { return body(record, nil) }
            let action: Self
            do throws(CanonicalError) { action = try Self(canonical: payload) } catch {
                undecodable = .undecodable(
                    sequence: record.sequence, what: "its action: \(error.sentence)")
                return false
            }
            return body(record, action)
        }
        if let undecodable { throw undecodable }
    }
}

/// A log in files next to which a checkpoint of its head is written.
public protocol LogFiles: ActionLog {
    func checkFiles() throws(ActionLogError)
    func writeAnchor() throws(ActionLogError)
}

/// An exclusively opened log whose rows can be rebuilt from its records.
///
/// After a crash between these changes, the log can be repaired again.
public protocol RepairableLog: ActionLog {
    /// The intact rows of open commands and bookmarks, and the number of damaged ones.
    func legibleRows() throws(ActionLogError) -> (outbox: [OutboxRow], bookmarks: [BookmarkRow], illegible: Int)

    /// Replaces the open commands, the bookmarks and the head row in one transaction.
    func put(_ rows: DerivedRows, head: Head) throws(ActionLogError)

    /// Removes the damaged rows of keys, and those for which the closure returns `true`; returns their number.
    func removeKeys(where isWrong: (KeyPlace, KeyRow) throws(ActionLogError) -> Bool) throws(ActionLogError) -> Int

    /// Adds missing rows of keys.
    func put(_ keys: [DerivedRows.KeyRun]) throws(ActionLogError)
}

/// A log that wraps another and forwards what it does not implement.
///
/// Writes have no default, because only the wrapper knows what else they affect.
public protocol ForwardingLog: ActionLog {
    var wrapped: any ActionLog { get }
}

extension ForwardingLog {
    public var head: Head { wrapped.head }
    public var edits: LogEdits { wrapped.edits }

    public func walk(
        _ walk: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 { try wrapped.walk(walk, body) }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? { try wrapped.key(key, of: uid) }

    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? { try wrapped.keys(after: place, rowsMax: rowsMax, body) }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) { try wrapped.openCommands() }

    public func bookmarks(named name: String?) throws(ActionLogError) -> [BookmarkRow] { try wrapped.bookmarks(named: name) }

    public func baseRow() throws(ActionLogError) -> BaseRow? { try wrapped.baseRow() }

    public func storage() throws(ActionLogError) -> StorageUse { try wrapped.storage() }

    public func headroom() -> FreeSpace { wrapped.headroom() }
}
