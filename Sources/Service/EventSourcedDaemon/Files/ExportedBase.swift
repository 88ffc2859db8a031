import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import Values
import Varlink

/// What an export of a compacted log begins with: its base, and the keys whose records are gone.
///
/// It stands on lines of their own behind the first: the base in pieces, then each key, as many as the base tells of. All exports that
/// run at the same time hold the same one.
final class ExportedBase: Sendable {
    /// Where the log begins.
    let base: Base
    /// How often something had been taken out of the log, at least, when it was read.
    let redactions: UInt64
    /// The row of the base, with all that a log that begins with it has to know.
    private let bytes: [UInt8]

    static let pieceBytesMax = 192 << 10

    /// That of a log; `nil`: it begins with the first record.
    ///
    /// - Throws: `StoreError`, and `APIError.answerTooLarge` where it is longer than `bytesMax`, or tells of more keys than
    ///   `ImportLimits.baseKeysMax`, so that no import would take it.
    init?(of log: any ActionLog, bytesMax: Int = ImportLimits.baseBytesMax) throws {
        // Before: what is taken out meanwhile makes this one old.
        redactions = log.redactions.count
        let row = try StoreError.reading { () throws(ActionLogError) -> BaseRow? in
            guard var row = try log.baseRow() else { return nil }
            // That of an older build does not tell what stood then, which is still known as far as it stands now.
            if row.kept.standing == nil {
                row.kept.standing = try StandingFacts(beforeFirstOf: log, head: log.head, bookmarks: try log.bookmarks())
            }
            return row
        }
        guard let row else { return nil }
        base = row.base
        guard row.kept.keys.count <= ImportLimits.baseKeysMax else {
            throw APIError.baseTooLarge("keys", max: ImportLimits.baseKeysMax, record: base.sequence, areForgettable: true)
        }
        bytes = row.exportedBytes
        guard bytes.count <= bytesMax else {
            throw APIError.baseTooLarge("bytes", max: UInt64(bytesMax), record: base.sequence)
        }
    }

    /// How long it is.
    var byteCount: Int { bytes.count }

    /// Its lines, piece by piece.
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
    /// The base that a header announces; `nil`: it announces none.
    ///
    /// - Throws: `ImportFailure`, and `CancellationError` as soon as nobody wants it any more.
    mutating func base(of header: ExportHeader, at now: Int64) async throws -> BaseRow? {
        guard let byteCount = header.baseBytes else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        while bytes.count < byteCount {
            try Task.checkCancellation()
            guard let piece = try next(bytesMax: Self.baseLineBytesMax)?["base"]?.text.flatMap(Base64.bytes), !piece.isEmpty,
                bytes.count + piece.count <= byteCount
            else {
                throw ImportFailure("What the compacted log begins with is not whole.")
            }
            bytes += piece
            // Nobody waits for more than a piece.
            await Task.yield()
        }
        // Before they are made: of two bytes each is a row a hundred times as large.
        guard BaseRow.rowCount(exported: bytes) <= ImportLimits.baseRowsMax else {
            throw ImportFailure("What the compacted log begins with has more open commands and bookmarks than a log has.")
        }
        let row: BaseRow
        do throws(ActionLogError) { row = try BaseRow(exported: bytes) } catch {
            throw ImportFailure("What the compacted log begins with is damaged.")
        }
        guard row.base.sequence == header.first - 1, row.base.checksum == header.before else {
            throw ImportFailure("What the compacted log begins with is not what comes before record \(header.first).")
        }
        if let objection = ImportLimits.objection(to: row, at: now) {
            throw ImportFailure("What the compacted log begins with \(objection).")
        }
        return row
    }

    /// Reads the keys that a base tells of, whether they are wanted or not.
    ///
    /// - Parameter pause: called after every `turnBytes` of work, before others get their turn.
    /// - Throws: `ImportStop`, `CancellationError` as soon as nobody wants them any more, and what the closures throw.
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
            // Some keys are long, and others have handed out many ids.
            pauseBytes -= key.row.ids.count * MemoryLayout<UInt64>.stride
            if lineBytes - pauseBytes >= Self.turnBytes {
                try await pause()
                await Task.yield()
                pauseBytes = lineBytes
            }
        }
        guard tally == row.kept.keys else {
            throw ImportStop.impossible("The keys of records that are gone are not those that the compacted log has.")
        }
    }

    /// The next of the keys that a base tells of, if it handed out no more ids than may still come.
    private mutating func key(of base: Base, idsMax: UInt64) throws(ImportFailure) -> ImportBatch.Key {
        let bytes = try next(bytesMax: Self.baseLineBytesMax)?["key"]?.text.flatMap(Base64.bytes)
        // Before they are made: millions of them may take a few bytes.
        let idCount = DerivedRows.KeyRun.idCount(exported: bytes ?? [])
        guard idCount <= idsMax else {
            throw ImportFailure("What the compacted log begins with has more than \(ImportLimits.baseKeyIDsMax) ids under keys.")
        }
        guard idCount <= ImportLimits.keyIDsMax else {
            throw ImportFailure("Line \(line), a key whose records are gone, has more ids than a dispatch hands out.")
        }
        guard let bytes, let key = try? DerivedRows.KeyRun(exported: bytes), 1...base.sequence ~= key.row.first,
            key.row.first...base.sequence ~= key.row.last, key.row.last - key.row.first < ImportLimits.keyRecordsMax,
            1...Limits.keyBytesMax ~= key.place.key.utf8.count
        else {
            throw ImportFailure("Line \(line), a key whose records are gone, is damaged or missing.")
        }
        return ImportBatch.Key(place: key.place, row: key.row)
    }
}
