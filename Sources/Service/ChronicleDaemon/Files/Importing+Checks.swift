import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel
import TodoAPI
import Varlink

extension Importing {
    /// Checks that the log's end is in the export, or directly before it.
    func compare(_ header: ExportHeader, with head: UInt64) throws(ImportStop) {
        if head == 0, header.baseBytes != nil { return }
        guard header.first <= head + 1 else {
            throw .unfit(
                head == 0
                    ? "It begins at record \(header.first), but an empty log can only begin with the first record, or with the base "
                        + "of a compacted log. Import the records before it first, or export it without --from."
                    : header.baseBytes != nil
                        ? "It begins with the state before record \(header.first), but this log ends at \(head). First import the "
                            + "archives of the records between. Or: \(Self.intoAnother)"
                        : "It begins at record \(header.first), but this log ends at \(head). Export it with --from \(head + 1).")
        }
        guard header.last >= head else {
            throw .unfit("It ends at record \(header.last), but this log is longer: it ends at \(head). \(Self.intoAnother)")
        }
        // If the log's base is later, this is unknown; the record at the log's end is compared later and covers all before it.
        guard try checksum(of: header.first - 1) ?? header.before == header.before else {
            throw .unfit("This log has another history before record \(header.first). \(Self.intoAnother)")
        }
    }

    private static var intoAnother: String { "Import it into a new log: start the daemon with --data and an empty directory." }

    /// If the record is the last common one, checks that the log contains it.
    func compare(_ record: SealedRecord, isLast: Bool) throws(ImportStop) {
        // Its checksum covers all records before it.
        if isLast { try compare(record.header.sequence, record.checksum) }
    }

    /// Checks that the log contains the record of a base, or begins after it.
    ///
    /// If the log's own base is later, later records of the export are compared instead.
    func compare(_ base: Base) throws(ImportStop) {
        if base.sequence < log.base?.sequence ?? 0 { return }
        try compare(base.sequence, base.checksum)
    }

    private func compare(_ sequence: UInt64, _ checksum: UInt64) throws(ImportStop) {
        guard try self.checksum(of: sequence) == checksum else {
            throw .unfit("This log is not empty, and has another history up to record \(sequence). \(Self.intoAnother)")
        }
    }

    /// Checks that a record follows the previous one.
    func follow(_ record: SealedRecord, _ chain: inout (checksum: UInt64, time: Int64), in header: ExportHeader)
        throws(ImportStop)
    {
        let sequence = record.header.sequence
        guard sequence <= header.last, record.previous == chain.checksum, record.header.follows(chain.time) else {
            throw .impossible("Record \(sequence) does not follow the one before it.")
        }
        chain = (record.checksum, record.header.time)
    }

    /// Checks that this log can continue with a new record.
    func examine(_ record: SealedRecord, _ rows: inout CurrentRows<App.Command>) throws(ImportStop) {
        var objection = ImportLimits.objection(to: record.header, at: StoreClock.system.wall())
        do throws(CanonicalError) {
            let contradiction = try rows.apply(record.header, record.bytes.span.bytes.extracting(record.payload))
            objection = objection ?? contradiction
        } catch {
            throw Self.unreadable(record.header, error)
        }
        if let objection { throw .impossible("Record \(record.header.sequence) \(objection).") }
    }

    func base(of header: ExportHeader, in file: inout ExportFile) async throws -> BaseRow? {
        do { return try await file.base(of: header, at: StoreClock.system.wall()) } catch let failure as ImportFailure {
            throw ImportStop.failure(failure)
        }
    }

    /// Whether the log has keys; even an empty log may have keys of dispatches that logged nothing.
    var knowsKeys: Bool {
        get throws(ImportStop) {
            do throws(ActionLogError) { return try log.storage().keys > 0 } catch { throw .store(StoreError(error)) }
        }
    }

    /// The rows of this log before the import.
    func currentRows() throws(ImportStop) -> CurrentRows<App.Command> {
        do throws(ActionLogError) {
            return CurrentRows(importingAfter: try log.outbox(), try log.bookmarks())
        } catch {
            throw .store(StoreError(error))
        }
    }

    /// Decodes the state of a base.
    static func state(of row: BaseRow) throws(ImportStop) -> App.State {
        do throws(CanonicalError) { return try App.State(canonical: row.state) } catch {
            throw .impossible("This version can't read the state after record \(row.base.sequence): \(error.reason).")
        }
    }

    /// Decodes the content of a record.
    static func readable(_ record: SealedRecord) throws(ImportStop) -> LoggedRecord<App> {
        do throws(CanonicalError) { return try LoggedRecord(record) } catch { throw unreadable(record.header, error) }
    }

    private static func unreadable(_ header: RecordHeader, _ error: CanonicalError) -> ImportStop {
        .impossible("This version can't read the \(header.kind.name) of record \(header.sequence): \(error.reason).")
    }

    /// Checks that a key belongs only to these records: a log has one row for it.
    func claim(_ place: KeyPlace, upTo sequence: UInt64, _ named: inout NamedKeys) throws(ImportStop) {
        guard named.count < ImportLimits.namedKeysMax else {
            throw .impossible(
                "It names more than \(ImportLimits.namedKeysMax) keys. Export it in parts, with --from and --to, and import one after the other."
            )
        }
        guard named.insert(place) else {
            throw .impossible("The key of record \(sequence) is named twice, but a log has each key of a user only once.")
        }
    }

    /// Checks that this log does not have the key, which the exporting log may have forgotten and reused.
    func claimNew(_ place: KeyPlace, upTo sequence: UInt64) throws(ImportStop) {
        let known: KeyRow?
        do throws(ActionLogError) { known = try log.key(place.key, of: place.uid) } catch { throw .store(StoreError(error)) }
        if let known {
            let place = known.last > 0 ? "record \(known.last)" : "a dispatch that logged nothing"
            throw .unfit("Record \(sequence) has a key that this log already has for \(place). \(Self.intoAnother)")
        }
    }

    /// Checks the state after the last record and the open commands.
    func check(_ past: PastState<App>, _ header: ExportHeader, _ outbox: [OutboxRow], _ verdict: inout ImportVerdict)
        throws(ImportStop)
    {
        for row in outbox {
            guard let objection = ImportLimits.objection(to: row, at: StoreClock.system.wall()) else { continue }
            throw .impossible("The open command \(row.id.sequence)/\(row.id.index) \(objection).")
        }
        if past.state.digestAndByteCount.digest != header.digest {
            verdict.warn("Version \(header.version), which wrote it, folded it to another state than this version does.")
        }
        if !outbox.isEmpty {
            verdict.reasons.append("\(outbox.count) of its commands are open; they are held until they are released.")
        }
        if verdict.first > verdict.last, verdict.base == nil { verdict.reasons.append("This log already has all of it.") }
    }

    private func checksum(of sequence: UInt64) throws(ImportStop) -> UInt64? {
        do throws(ActionLogError) { return try log.checksum(of: sequence) } catch { throw .store(StoreError(error)) }
    }

    /// Whether the readable form of a line matches its record; additional or missing fields of other versions are allowed.
    static func tellsTruth(_ line: Value, of record: LoggedRecord<App>) -> Bool {
        var words: [UInt8] = []
        RecordMessage(record).write(into: &words)
        guard let told = try? Value(parsing: words), let members = told.record else { return true }
        return members.allSatisfy { member in line[member.name].map { $0 == member.value } ?? true }
    }
}

/// The keys that an export has named so far.
///
/// Stored as 64-bit hashes, because there may be up to `ImportLimits.namedKeysMax`. The seed is random, so collisions can't be
/// constructed.
struct NamedKeys {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    mutating func insert(_ place: KeyPlace) -> Bool {
        var hasher = Hasher()
        hasher.combine(place.uid)
        hasher.combine(ExactText(place.key))
        return hashes.insert(hasher.finalize()).inserted
    }
}
