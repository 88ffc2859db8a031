import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel
import Varlink

/// Imports an export into a store: checks the whole file, then writes it piece by piece.
///
/// An interrupted import leaves a prefix, which the same import continues.
struct Importing<App: DaemonApp>: Sendable {
    let store: Store<App>
    let log: any ActionLog
    let history: History<App>

    /// Dry run: reads the whole file, and folds the records that the log lacks, without writing.
    /// - Parameter progress: called with the current and the last record.
    func check(
        _ descriptor: Int32, progress: (UInt64, UInt64) async throws -> Void = { _, _ in }
    ) async throws -> ImportVerdict {
        do {
            var file = ExportFile(descriptor: descriptor)
            let header = try Self.header(&file)
            let present = store.present
            try compare(header, with: present.sequence)
            var verdict = ImportVerdict(first: present.sequence + 1, last: header.last)
            var past = PastState<App>(sequence: header.first - 1, state: present.state)
            var chain = (checksum: header.before, time: Int64.min)
            var keyed = KeyedRun()
            var named = NamedKeys()
            var rows = try currentRows()
            let knowsKeys = try knowsKeys
            if let base = try await base(of: header, in: &file) {
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
                    throw ImportStop.impossible("The key of record \(record.header.sequence) does not match its records.")
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
            guard past.sequence == header.last, chain.checksum == header.checksum else {
                throw ImportStop.impossible("Records are missing at its end.")
            }
            if let cutOff {
                // Happens if a log that ended within a dispatch was exported.
                verdict.reasons.append(
                    "It lacks the key of the dispatch of record \(cutOff): a retry with that key would be executed again."
                )
            }
            try check(past, header, outbox, &verdict)
            return verdict
        } catch ImportStop.failure(let failure) {
            return .impossible(failure)
        } catch ImportStop.store(let error) {
            throw error
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
            let header = try Self.header(&file)
            var piece = ImportBatch()
            if let base = try await base(of: header, in: &file) {
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
        } catch ImportStop.failure(let failure) {
            throw StoreError.unreadable(failure.sentence)
        } catch ImportStop.store(let error) {
            throw error
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

    private func take(_ piece: ImportBatch) async throws(ImportStop) {
        var piece = piece
        if let base = piece.base {
            // The state at the base, not after the following records of the piece.
            let past = PastState<App>(sequence: base.base.sequence, time: base.base.time, state: try Self.state(of: base))
            // Without suspending in between, so that no query uses a history that begins before its log.
            piece.whenBegun = { [history] in history.begin(with: past) }
        }
        do throws(StoreError) { try await store.importBatch(piece) } catch { throw .store(error) }
    }

    static func header(_ file: inout ExportFile) throws(ImportStop) -> ExportHeader {
        try ImportStop.reading { () throws(ImportFailure) in
            guard let json = try file.next() else { throw ImportFailure("It is empty.") }
            return try ExportHeader(json)
        }
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

    init(_ sentence: String) { self.sentence = sentence }
}

/// Why reading an import ends early: because of the file, or of the store.
enum ImportStop: Error {
    case failure(ImportFailure)
    case store(StoreError)

    static func reading<Value>(_ body: () throws(ImportFailure) -> Value) throws(ImportStop) -> Value {
        do throws(ImportFailure) { return try body() } catch { throw .failure(error) }
    }

    static func impossible(_ sentence: String) -> ImportStop { .failure(ImportFailure(sentence)) }

    /// A file that another log could import.
    static func unfit(_ sentence: String) -> ImportStop {
        var failure = ImportFailure(sentence)
        failure.isDamage = false
        return .failure(failure)
    }
}
