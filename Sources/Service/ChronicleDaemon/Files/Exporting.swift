import ChronicleLog
import ChronicleStore
import ChronicleValues
import TimeTravel
import TodoAPI
import Varlink

struct Exporting<App: DaemonApp>: Sendable {
    static var pieceBytesMax: Int { 256 << 10 }

    let version: String
    let store: Store<App>
    let history: History<App>
    private var log: any ActionLog { store.log }

    /// Delivers the lines of all records of a range, in pieces of about `pieceBytesMax`.
    /// - Parameters:
    ///   - first: at most one more than `last`; then there are no records.
    ///   - open: the open commands that were requested before the end; written if the end is still the log's.
    ///   - base: the base of the log, if an empty log is to begin with it; it comes right before the first record.
    func run(
        from first: UInt64, through last: UInt64, open: [OutboxRow], base: ExportedBase? = nil, past: PastState<App>? = nil,
        _ deliver: (String) async throws -> Void
    ) async throws {
        var piece = try await header(from: first, through: last, base, past).line + "\n".utf8
        if let base {
            try await deliver(String(decoding: piece, as: UTF8.self))
            try await base.writeLines(deliver)
            try await writeKeys(of: base.base, deliver)
            piece = []
        }
        var next = first
        while next <= last {
            let page = try await records(from: next, through: last)
            guard let end = page.last?.header.sequence else { break }
            for record in page {
                piece += try ExportLine.record(record, try key(endingWith: record), of: App.self)
                piece.append(UInt8(ascii: "\n"))
                guard piece.count >= Self.pieceBytesMax else { continue }
                try await deliver(String(decoding: piece, as: UTF8.self))
                piece.removeAll(keepingCapacity: true)
            }
            next = end + 1
        }
        piece += ExportLine.end(last, outbox: log.head.sequence == last ? open : []) + "\n".utf8
        try await deliver(String(decoding: piece, as: UTF8.self))
    }

    // A separate function, so that the state is freed before the records are read.
    private func header(from first: UInt64, through last: UInt64, _ base: ExportedBase?, _ known: PastState<App>?) async throws
        -> ExportHeader
    {
        let past: PastState<App>
        if let known { past = known } else { past = try await history.state(at: .sequence(last)) }
        let head = log.head
        return ExportHeader(
            version: version, storeID: head.storeID, epoch: head.epoch, first: first, last: last,
            before: try log.checksum(of: first - 1) ?? 0, checksum: try log.checksum(of: last) ?? 0,
            digest: past.state.digestAndByteCount.digest, time: last > 0 ? past.time : nil, baseBytes: base?.byteCount)
    }

    private func writeKeys(of base: Base, _ deliver: (String) async throws -> Void) async throws {
        var place: KeyPlace?
        var idCount: UInt64 = 0
        repeat {
            let (lines, ids, last) = try await keyLines(of: base, after: place)
            idCount += ids
            guard idCount <= ImportLimits.baseKeyIDsMax else {
                throw APIError.baseTooLarge(
                    "ids under keys", max: ImportLimits.baseKeyIDsMax, record: base.sequence, areForgettable: true)
            }
            if !lines.isEmpty { try await deliver(lines) }
            place = last
        } while place != nil
        // A later compaction may have removed some of them.
        guard log.base == base else { throw StoreError.compacted }
    }

    private func keyLines(
        of base: Base, after place: KeyPlace?
    ) async throws(StoreError) -> (lines: String, ids: UInt64, last: KeyPlace?) {
        try await store.queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            var (lines, ids, taken) = ("", UInt64(0), place)
            var isFull: Bool { lines.utf8.count >= Self.pieceBytesMax }
            let last = try StoreError.reading { () throws(ActionLogError) in
                try log.keys(after: place, rowsMax: HistoryLimits.keyRowsMax) { place, row in
                    // A few keys with many ids fill a piece.
                    guard !isFull else { return }
                    taken = place
                    guard 1...base.sequence ~= row.last else { return }
                    ids += UInt64(row.ids.count)
                    lines += ExportedBase.line(of: DerivedRows.KeyRun(place, row))
                }
            }
            return (lines, ids, isFull ? taken : last)
        }
    }

    private func records(from first: UInt64, through last: UInt64) async throws(StoreError) -> [SealedRecord] {
        try await store.queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            var records: [SealedRecord] = []
            try StoreError.reading { () throws(ActionLogError) in
                _ = try log.sealed(from: first, through: last, recordsMax: Limits.pageRecordsMax, bytesMax: Limits.pageBytesMax) {
                    records.append($0)
                    return true
                }
            }
            return records
        }
    }

    // A key belongs to the last record of its dispatch.
    private func key(endingWith record: SealedRecord) throws(StoreError) -> KeyRow? {
        guard let key = record.header.key else { return nil }
        let row = try StoreError.reading { () throws(ActionLogError) in try log.key(key, of: record.header.origin) }
        return row?.last == record.header.sequence ? row : nil
    }
}

/// The beginning of an export of a compacted log: its base, and the keys whose records are gone.
///
/// Separate lines after the header contain the base in pieces, then the keys. Concurrent exports share one instance.
final class ExportedBase: Sendable {
    let base: Base
    /// The number of redactions of the log when it was read, at least.
    let redactions: UInt64
    private let bytes: [UInt8]

    static let pieceBytesMax = 192 << 10

    /// The base of a log; `nil`: none.
    /// - Throws: `StoreError`, and `APIError.answerTooLarge` if no import would accept it: it is longer than `bytesMax`, or has more keys
    ///   than `ImportLimits.baseKeysMax`.
    init?(of log: any ActionLog, bytesMax: Int = ImportLimits.baseBytesMax) throws {
        // Read first: a concurrent redaction makes this base outdated.
        redactions = log.redactions.count
        let row = try StoreError.reading { () throws(ActionLogError) -> BaseRow? in
            guard var row = try log.baseRow() else { return nil }
            // A base of an older version lacks this data; use the current data.
            if row.kept.standing == nil {
                row.kept.standing = CurrentFacts(
                    row.kept, after: row.base.sequence, log.head, bookmarks: try log.bookmarks())
            }
            return row
        }
        guard let row else { return nil }
        base = row.base
        guard row.kept.keys.count <= ImportLimits.baseKeysMax else {
            throw APIError.baseTooLarge("keys", max: ImportLimits.baseKeysMax, record: base.sequence, areForgettable: true)
        }
        bytes = row.exportedBytes
        guard bytes.count <= bytesMax else { throw APIError.baseTooLarge("bytes", max: UInt64(bytesMax), record: base.sequence) }
    }

    var byteCount: Int { bytes.count }

    func writeLines(_ deliver: (String) async throws -> Void) async throws {
        for start in stride(from: 0, to: bytes.count, by: Self.pieceBytesMax) {
            try await deliver(Self.line("base", Array(bytes[start..<min(start + Self.pieceBytesMax, bytes.count)])))
        }
    }

    static func line(of key: DerivedRows.KeyRun) -> String { line("key", key.exportedBytes) }

    private static func line(_ name: String, _ bytes: [UInt8]) -> String {
        var line: [UInt8] = []
        JSON.write([.init(name, .text(Base64.text(bytes)))], into: &line)
        return String(decoding: line, as: UTF8.self) + "\n"
    }
}

extension ExportFile {
    /// The base that a header announces; `nil`: none.
    /// - Throws: `ImportFailure`, `CancellationError`.
    mutating func base(of header: ExportHeader, at now: Int64) async throws -> BaseRow? {
        guard let byteCount = header.baseBytes else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        while bytes.count < byteCount {
            try Task.checkCancellation()
            guard let piece = try next(bytesMax: Self.baseLineBytesMax)?["base"]?.text.flatMap(Base64.bytes), !piece.isEmpty,
                bytes.count + piece.count <= byteCount
            else { throw ImportFailure("The base of the compacted log is incomplete.") }
            bytes += piece
            // Other work waits at most for one piece.
            await Task.yield()
        }
        // Checked first, because a row of two bytes takes a hundred times as much memory.
        guard BaseRow.rowCount(exported: bytes) <= ImportLimits.baseRowsMax else {
            throw ImportFailure("The base of the compacted log has more open commands and bookmarks than a log can have.")
        }
        let row: BaseRow
        do throws(ActionLogError) { row = try BaseRow(exported: bytes) } catch {
            throw ImportFailure("The base of the compacted log is damaged.")
        }
        guard row.base.sequence == header.first - 1, row.base.checksum == header.before else {
            throw ImportFailure("The base of the compacted log does not match the record before record \(header.first).")
        }
        if let objection = ImportLimits.objection(to: row, at: now) {
            throw ImportFailure("The base of the compacted log \(objection).")
        }
        return row
    }

    /// - Parameter pause: called after each `turnBytes` of work, to yield.
    /// - Throws: `ImportFailure`, `CancellationError`, and the errors of the closures.
    mutating func readKeys(
        of row: BaseRow, pause: () async throws -> Void, _ take: (ImportBatch.Key) throws -> Void
    ) async throws {
        var tally = RowTally()
        var idsLeft = ImportLimits.baseKeyIDsMax
        var pauseBytes = lineBytes
        while tally.count < row.kept.keys.count {
            try Task.checkCancellation()
            let key = try self.key(of: row.base, idsMax: idsLeft)
            idsLeft -= UInt64(key.row.ids.count)
            tally.add(key.row, at: key.place)
            try take(key)
            // Some keys are long, or have many ids.
            pauseBytes -= key.row.ids.count * MemoryLayout<UInt64>.stride
            if lineBytes - pauseBytes >= Self.turnBytes {
                try await pause()
                await Task.yield()
                pauseBytes = lineBytes
            }
        }
        guard tally == row.kept.keys else {
            throw ImportFailure("The keys of compacted records differ from those of the compacted log.")
        }
    }

    /// The next key of a base, if it has at most the remaining number of ids.
    private mutating func key(of base: Base, idsMax: UInt64) throws(ImportFailure) -> ImportBatch.Key {
        let bytes = try next(bytesMax: Self.baseLineBytesMax)?["key"]?.text.flatMap(Base64.bytes)
        // Checked first, because a few bytes may encode millions of ids.
        let idCount = DerivedRows.KeyRun.idCount(exported: bytes ?? [])
        guard idCount <= idsMax else {
            throw ImportFailure("The base of the compacted log has more than \(ImportLimits.baseKeyIDsMax) ids under keys.")
        }
        guard idCount <= ImportLimits.keyIDsMax else {
            throw ImportFailure("Line \(line), a key of compacted records, has more ids than a dispatch can assign.")
        }
        guard let bytes, let key = try? DerivedRows.KeyRun(exported: bytes), 1...base.sequence ~= key.row.first,
            key.row.first...base.sequence ~= key.row.last, key.row.last - key.row.first < ImportLimits.keyRecordsMax,
            1...Limits.keyBytesMax ~= key.place.key.utf8.count
        else { throw ImportFailure("Line \(line), a key of compacted records, is damaged or missing.") }
        return ImportBatch.Key(place: key.place, row: key.row)
    }
}

/// Shares one copy of the base among concurrent exports: it may be large, and slow readers hold it long.
actor SharedBase {
    private weak var held: ExportedBase?

    func current(of log: any ActionLog) throws -> ExportedBase? {
        if let held, held.base == log.base, held.redactions == log.redactions.count { return held }
        let current = try ExportedBase(of: log)
        held = current
        return current
    }
}
