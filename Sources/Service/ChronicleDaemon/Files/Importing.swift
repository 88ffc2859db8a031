import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel
import TodoAPI
import Varlink

/// Imports an export into a store: checks the whole file, then writes it piece by piece.
///
/// An interrupted import leaves a prefix, which the same import continues.
struct Importing<App: DaemonApp>: Sendable {
    let store: Store<App>
    let history: History<App>
    private var log: any ActionLog { store.log }

    /// Dry run: reads the whole file, and folds the records that the log lacks, without writing.
    /// - Parameter progress: called with the current and the last record.
    func check(
        _ descriptor: Int32, progress: (UInt64, UInt64) async throws -> Void = { _, _ in }
    ) async throws -> ImportVerdict {
        do {
            var file = ExportFile(descriptor: descriptor)
            let header = try file.header()
            let present = store.present
            try compare(header, with: present.sequence)
            var verdict = ImportVerdict(first: present.sequence + 1, last: header.last)
            var past = PastState<App>(sequence: header.first - 1, state: present.state)
            var chain = (checksum: header.before, time: Int64.min)
            var keyed = KeyedRun()
            var named = NamedKeys()
            var rows = try currentRows()
            let knowsKeys = try knowsKeys
            if let base = try await file.base(of: header, at: StoreClock.system.wall()) {
                try await file.readKeys(of: base, pause: { try await progress(base.base.sequence, header.last) }) { key in
                    try claim(key.place, upTo: key.row.last, &named)
                    if knowsKeys, present.sequence == 0 { try claimNew(key.place, upTo: key.row.last) }
                }
                chain.time = base.base.time
                if present.sequence == 0 {
                    past.state = try Self.state(of: base)
                    rows = CurrentRows(importing: base)
                    (verdict.base, verdict.first) = (base.base.sequence, base.base.sequence + 1)
                    verdict.reasons.append(
                        "It begins with the state after record \(base.base.sequence); the records up to there were compacted.")
                }
            }
            var cutOff: UInt64?
            let outbox = try await file.readRecords(of: header) { record, key, words in
                try follow(record, &chain, in: header)
                let logged = try Self.readable(record)
                if !keyed.goesOn(with: record.header), let last = keyed.lastWithoutRow, last > present.sequence {
                    cutOff = cutOff ?? last
                }
                keyed.take(logged)
                if let key, !keyed.agrees(with: key, since: header.first) {
                    throw ImportFailure("The key of record \(record.header.sequence) does not match its records.")
                }
                if key != nil, let name = record.header.key {
                    let place = KeyPlace(uid: record.header.origin, key: name)
                    try claim(place, upTo: record.header.sequence, &named)
                    if knowsKeys, record.header.sequence > present.sequence { try claimNew(place, upTo: record.header.sequence) }
                }
                if verdict.word != .risky, !Self.tellsTruth(words, of: logged) {
                    let sequence = record.header.sequence
                    verdict.warn("The text of record \(sequence) differs from its bytes, and only the bytes are imported.")
                }
                if record.header.sequence > present.sequence {
                    try examine(record, &rows)
                    past.apply(logged.action, of: record.fields)
                } else {
                    past.sequence = record.header.sequence
                    try compare(record, isLast: record.header.sequence == min(present.sequence, header.last))
                }
                if past.sequence.isMultiple(of: 1_024) { try await progress(past.sequence, header.last) }
            }
            guard past.sequence == header.last, chain.checksum == header.checksum else { throw ImportFailure.recordsMissing }
            if let cutOff {
                // Happens if a log that ended within a dispatch was exported.
                verdict.reasons.append(
                    "It lacks the key of the dispatch of record \(cutOff): a retry with that key would be executed again."
                )
            }
            try check(past, header, outbox, &verdict)
            return verdict
        } catch let failure as ImportFailure {
            return .impossible(failure)
        }
    }

    /// Writes the records that the log lacks, and blocks other writers; call `check` first.
    func write(
        _ descriptor: Int32, progress: (UInt64, UInt64) async throws -> Void = { _, _ in }
    ) async throws {
        try await store.writingExclusively { try await take(descriptor, progress: progress) }
    }

    private func take(_ descriptor: Int32, progress: (UInt64, UInt64) async throws -> Void) async throws {
        do {
            var file = ExportFile(descriptor: descriptor)
            let header = try file.header()
            var piece = ImportBatch()
            if let base = try await file.base(of: header, at: StoreClock.system.wall()) {
                piece = try await beginning(with: base, &file, pause: { try await progress(base.base.sequence, header.last) })
            }
            let known = store.present.sequence
            var bytes = 0
            let outbox = try await file.readRecords(of: header) { record, key, _ in
                let sequence = record.header.sequence
                guard sequence > known else {
                    // After a concurrent dispatch, this log may have another record here.
                    return try compare(record, isLast: sequence == min(known, header.last))
                }
                piece.records.append(record)
                bytes += record.bytes.count
                if let key, let name = record.header.key {
                    piece.keys.append(.init(place: KeyPlace(uid: record.header.origin, key: name), row: key))
                }
                // Keep the last piece for the rows on the last line.
                guard sequence < header.last,
                    piece.records.count >= Limits.flushRecordsMax || bytes >= Limits.flushBytesMax
                else { return }
                try await take(piece)
                (piece, bytes) = (ImportBatch(), 0)
                try await progress(sequence, header.last)
            }
            piece.outbox = outbox
            if !piece.records.isEmpty || piece.base != nil { try await take(piece) }
        } catch let failure as ImportFailure {
            throw StoreError.unreadable(failure.sentence)
        }
    }

    /// The first batch for an empty log: the base with all of its keys, because a log without them would execute repeated requests again.
    ///
    /// For any other log, the batch is empty: it has its own keys, or they were forgotten on purpose.
    private func beginning(
        with base: BaseRow, _ file: inout ExportFile, pause: () async throws -> Void
    ) async throws -> ImportBatch {
        let isEmpty = store.present.sequence == 0
        var keys = PackedKeys()
        try await file.readKeys(of: base, pause: pause) { if isEmpty { try keys.append($0.row, at: $0.place) } }
        if isEmpty { return ImportBatch(base: base, baseKeys: keys) }
        // A concurrent dispatch may have changed the log.
        try compare(base.base)
        return ImportBatch()
    }

    private func take(_ piece: ImportBatch) async throws {
        var piece = piece
        if let base = piece.base {
            // The state at the base, not after the following records of the piece.
            let past = PastState<App>(sequence: base.base.sequence, time: base.base.time, state: try Self.state(of: base))
            // Without suspending in between, so that no query uses a history that begins before its log.
            piece.whenBegun = { [history] in history.begin(with: past) }
        }
        try await store.importBatch(piece)
    }
}

extension Importing {
    /// Checks that the log's end is in the export, or directly before it.
    func compare(_ header: ExportHeader, with head: UInt64) throws {
        if head == 0, header.baseBytes != nil { return }
        guard header.first <= head + 1 else {
            throw Self.unfit(
                head == 0
                    ? "It begins at record \(header.first), but an empty log can only begin with the first record, or with the base "
                        + "of a compacted log. Import the records before it first, or export it without --from."
                    : header.baseBytes != nil
                        ? "It begins with the state before record \(header.first), but this log ends at \(head). First import the "
                            + "archives of the records between. Or: \(Self.intoAnother)"
                        : "It begins at record \(header.first), but this log ends at \(head). Export it with --from \(head + 1).")
        }
        guard header.last >= head else {
            throw Self.unfit("It ends at record \(header.last), but this log is longer: it ends at \(head). \(Self.intoAnother)")
        }
        // If the log's base is later, this is unknown; the record at the log's end is compared later and covers all before it.
        guard try checksum(of: header.first - 1) ?? header.before == header.before else {
            throw Self.unfit("This log has another history before record \(header.first). \(Self.intoAnother)")
        }
    }

    /// A file that another log could import.
    private static func unfit(_ sentence: String) -> ImportFailure { ImportFailure(sentence, isDamage: false) }

    private static var intoAnother: String { "Import it into a new log: start the daemon with --data and an empty directory." }

    /// If the record is the last common one, checks that the log contains it.
    func compare(_ record: SealedRecord, isLast: Bool) throws {
        // Its checksum covers all records before it.
        if isLast { try compare(record.header.sequence, record.checksum) }
    }

    /// Checks that the log contains the record of a base, or begins after it.
    ///
    /// If the log's own base is later, later records of the export are compared instead.
    func compare(_ base: Base) throws {
        if base.sequence < log.base?.sequence ?? 0 { return }
        try compare(base.sequence, base.checksum)
    }

    private func compare(_ sequence: UInt64, _ checksum: UInt64) throws {
        guard try self.checksum(of: sequence) == checksum else {
            throw Self.unfit("This log is not empty, and has another history up to record \(sequence). \(Self.intoAnother)")
        }
    }

    func follow(_ record: SealedRecord, _ chain: inout (checksum: UInt64, time: Int64), in header: ExportHeader) throws {
        let sequence = record.header.sequence
        guard sequence <= header.last, record.previous == chain.checksum, record.header.follows(chain.time) else {
            throw ImportFailure("Record \(sequence) does not follow the one before it.")
        }
        chain = (record.checksum, record.header.time)
    }

    func examine(_ record: SealedRecord, _ rows: inout CurrentRows<App.Command>) throws {
        var objection = ImportLimits.objection(to: record.header, at: StoreClock.system.wall())
        do throws(CanonicalError) {
            let contradiction = try rows.apply(record.header, record.bytes.span.bytes.extracting(record.payload))
            objection = objection ?? contradiction
        } catch {
            throw Self.unreadable(record.header, error)
        }
        if let objection { throw ImportFailure("Record \(record.header.sequence) \(objection).") }
    }

    /// Whether the log has keys; even an empty log may have keys of dispatches that logged nothing.
    var knowsKeys: Bool {
        get throws { try StoreError.reading { () throws(ActionLogError) in try log.storage().keys > 0 } }
    }

    func currentRows() throws -> CurrentRows<App.Command> {
        try StoreError.reading { () throws(ActionLogError) in CurrentRows(importingAfter: try log.outbox(), try log.bookmarks()) }
    }

    static func state(of row: BaseRow) throws -> App.State {
        do throws(CanonicalError) { return try App.State(canonical: row.state) } catch {
            throw ImportFailure("This version can't read the state after record \(row.base.sequence): \(error.reason).")
        }
    }

    static func readable(_ record: SealedRecord) throws -> LoggedRecord<App> {
        do throws(CanonicalError) { return try LoggedRecord(record) } catch { throw unreadable(record.header, error) }
    }

    private static func unreadable(_ header: RecordHeader, _ error: CanonicalError) -> ImportFailure {
        ImportFailure("This version can't read the \(header.kind.name) of record \(header.sequence): \(error.reason).")
    }

    /// Checks that a key belongs only to these records: a log has one row for it.
    func claim(_ place: KeyPlace, upTo sequence: UInt64, _ named: inout NamedKeys) throws {
        guard named.count < ImportLimits.namedKeysMax else {
            throw ImportFailure(
                "It names more than \(ImportLimits.namedKeysMax) keys. Export it in parts, with --from and --to, and import one after the other."
            )
        }
        guard named.insert(place) else {
            throw ImportFailure("The key of record \(sequence) is named twice, but a log has each key of a user only once.")
        }
    }

    /// Checks that this log does not have the key, which the exporting log may have forgotten and reused.
    func claimNew(_ place: KeyPlace, upTo sequence: UInt64) throws {
        if let known = try StoreError.reading({ () throws(ActionLogError) in try log.key(place.key, of: place.uid) }) {
            let place = known.last > 0 ? "record \(known.last)" : "a dispatch that logged nothing"
            throw Self.unfit("Record \(sequence) has a key that this log already has for \(place). \(Self.intoAnother)")
        }
    }

    /// Checks the state after the last record and the open commands.
    func check(
        _ past: PastState<App>, _ header: ExportHeader, _ outbox: [OutboxRow], _ verdict: inout ImportVerdict
    ) throws {
        for row in outbox {
            guard let objection = ImportLimits.objection(to: row, at: StoreClock.system.wall()) else { continue }
            throw ImportFailure("The open command \(row.id.sequence)/\(row.id.index) \(objection).")
        }
        if past.state.digestAndByteCount.digest != header.digest {
            verdict.warn("Version \(header.version), which wrote it, folded it to another state than this version does.")
        }
        if !outbox.isEmpty {
            verdict.reasons.append("\(outbox.count) of its commands are open; they are held until they are released.")
        }
        if verdict.first > verdict.last, verdict.base == nil { verdict.reasons.append("This log already has all of it.") }
    }

    private func checksum(of sequence: UInt64) throws -> UInt64? {
        try StoreError.reading { () throws(ActionLogError) in try log.checksum(of: sequence) }
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

struct ImportVerdict: Sendable, Equatable {
    enum Word: String, Sendable {
        case fine
        case risky
        case impossible
    }

    var word = Word.fine
    var reasons: [String] = []
    /// The new records, by sequence; an empty range if there are no new ones.
    var first: UInt64 = 1
    var last: UInt64 = 0
    /// The record of the base with which an empty log begins.
    var base: UInt64?
    /// Whether no log could import it, not only this one.
    var isDamaged = false

    static func impossible(_ failure: ImportFailure) -> ImportVerdict {
        ImportVerdict(word: .impossible, reasons: [failure.sentence], isDamaged: failure.isDamage)
    }

    mutating func warn(_ reason: String) {
        word = .risky
        reasons.append(reason)
    }
}

struct ImportFailure: Error, Equatable {
    var sentence: String
    /// Whether the file is damaged; otherwise, the sentence says which file or log would do.
    var isDamage = true

    init(_ sentence: String, isDamage: Bool = true) { (self.sentence, self.isDamage) = (sentence, isDamage) }

    static let recordsMissing = ImportFailure("Records are missing at its end.")
}
