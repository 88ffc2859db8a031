import ChronicleLog
import ChronicleStore
import ChronicleValues
import TimeTravel
import TodoAPI
import Varlink

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

    /// Reads the keys of a base.
    /// - Parameter pause: called after each `turnBytes` of work, to yield.
    /// - Throws: `ImportStop`, `CancellationError`, and the errors of the closures.
    mutating func readKeys(
        of row: BaseRow, pause: () async throws -> Void, _ take: (ImportBatch.Key) throws -> Void
    ) async throws {
        var tally = RowTally()
        var idsLeft = ImportLimits.baseKeyIDsMax
        var pauseBytes = lineBytes
        while tally.count < row.kept.keys.count {
            try Task.checkCancellation()
            let key: ImportBatch.Key
            do throws(ImportFailure) { key = try self.key(of: row.base, idsMax: idsLeft) } catch {
                throw ImportStop.failure(error)
            }
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
            throw ImportStop.impossible("The keys of compacted records differ from those of the compacted log.")
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
