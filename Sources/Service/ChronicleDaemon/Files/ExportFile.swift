import ChronicleLog
import ChronicleStore
import ChronicleValues
import Glibc
import TodoAPI
import Varlink
import Zstandard

struct ExportFile: ~Copyable {
    /// Maximum bytes of a line: the largest record as text, with its description for people.
    static let lineBytesMax = 64 << 20
    /// Maximum bytes of a base or key line: four times a piece of a base, and twice a dispatch of the maximum number of records.
    static let baseLineBytesMax = 1 << 20
    /// Maximum number of values in a line; each takes about 50 bytes of memory.
    static let linePartsMax = 1 << 22
    /// Bytes of lines, and of their memory, after which it yields.
    static let turnBytes = 256 << 10
    private static let pieceBytes = 256 << 10

    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0
    private var piece = [UInt8](repeating: 0, count: pieceBytes)
    private var offset = 0
    private var decompressor = Decompressor()
    private var isCompressed = false
    private(set) var line = 0
    private(set) var lineBytes = 0

    /// Reads an open file from its beginning; the caller keeps the descriptor.
    init(descriptor: Int32) { self.descriptor = descriptor }

    mutating func next(bytesMax: Int = lineBytesMax) throws(ImportFailure) -> Value? {
        guard let bytes = try nextLine() else { return nil }
        guard bytes.count <= bytesMax else { throw ImportFailure("Line \(line) is too long.") }
        // Check first; each value takes at least two bytes.
        guard bytes.count / 2 <= Self.linePartsMax || Self.parts(of: bytes) <= Self.linePartsMax else {
            throw ImportFailure("Line \(line) holds more than \(Self.linePartsMax) values.")
        }
        do { return try Value(parsing: bytes) } catch { throw ImportFailure("Line \(line) is damaged: \(error).") }
    }

    mutating func header() throws(ImportFailure) -> ExportHeader {
        guard let json = try next() else { throw ImportFailure("It is empty.") }
        return try ExportHeader(json)
    }

    /// Upper bound of the number of values: counts commas, brackets and braces outside of texts.
    private static func parts(of bytes: [UInt8]) -> Int {
        var (count, isText, isEscaped) = (0, false, false)
        for byte in bytes {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isText = byte != UInt8(ascii: "\"")
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
                default: break
                }
            }
        }
        return count
    }

    private mutating func nextLine() throws(ImportFailure) -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                line += 1
                lineBytes += end - start
                return Array(bytes[start..<end])
            }
            searched = bytes.count - start
            bytes.removeSubrange(..<start)
            start = 0
            guard bytes.count < Self.lineBytesMax else { throw ImportFailure("Line \(line + 1) is too long.") }
            let piece = try nextPiece()
            if piece.isEmpty {
                guard bytes.isEmpty else { throw ImportFailure("It ends in the middle of line \(line + 1).") }
                return nil
            }
            bytes += piece
        }
    }

    private mutating func nextPiece() throws(ImportFailure) -> [UInt8] {
        if !isCompressed {
            let isFirst = offset == 0
            let bytes = try read()
            guard isFirst, bytes.starts(with: Decompressor.magic) else { return bytes }
            isCompressed = true
            decompressor.add(bytes)
        }
        while true {
            do throws(DecompressionError) {
                let bytes = try decompressor.next()
                if !bytes.isEmpty { return bytes }
            } catch {
                throw ImportFailure("It can't be decompressed after line \(line): \(error.reason).")
            }
            let bytes = try read()
            guard !bytes.isEmpty else {
                guard decompressor.isComplete else { throw ImportFailure("It ends too early, after line \(line).") }
                return []
            }
            decompressor.add(bytes)
        }
    }

    private mutating func read() throws(ImportFailure) -> [UInt8] {
        let count = pread(descriptor, &piece, piece.count, offset)
        guard count >= 0 else { throw ImportFailure("It can't be read: \(String(cString: strerror(errno))).") }
        offset += count
        return Array(piece[..<count])
    }
}

struct ExportHeader: Equatable {
    static let format: Int64 = 1
    /// Older versions reject this format.
    static let basedFormat: Int64 = 2

    var version: String
    var storeID: String
    var epoch: UInt64
    /// The first and the last record; empty if the first is greater.
    var first: UInt64
    var last: UInt64
    /// The checksums of the record before the first, and of the last one, which covers all of them.
    var before: UInt64
    var checksum: UInt64
    var digest: UInt64
    /// The time of the last record, in microseconds since 1970; only for people.
    var time: Int64?
    /// Bytes of the base that follows, with which an empty log can begin; `nil`: none.
    var baseBytes: Int?

    var line: [UInt8] {
        var bytes: [UInt8] = []
        let format = baseBytes == nil ? Self.format : Self.basedFormat
        JSON.write(
            [
                .init("todod", .text("export")), .init("format", .int(format)), .init("version", .text(version)),
                .init("store", .text(storeID)), .init("epoch", .int(Int64(clamping: epoch))),
                .init("first", .int(Int64(clamping: first))), .init("last", .int(Int64(clamping: last))),
                .init("before", .text(Hexadecimal.text(before))), .init("checksum", .text(Hexadecimal.text(checksum))),
                .init("digest", .text(Hexadecimal.text(digest))),
            ] + (time.map { [.init("time", .int($0))] } ?? []) + (baseBytes.map { [.init("base", .int(Int64($0)))] } ?? []),
            into: &bytes)
        return bytes
    }
}

extension ExportHeader {
    init(_ json: Value) throws(ImportFailure) {
        guard json["todod"]?.text == "export", let format = json["format"]?.int else {
            throw ImportFailure("It is not an export of a log.")
        }
        let version = json["version"]?.text ?? "?"
        guard format == Self.format || format == Self.basedFormat else {
            throw ImportFailure("Version \(version) wrote it in format \(format), which this version can't read.")
        }
        func number(_ name: String) -> UInt64? { json[name]?.int.flatMap { UInt64(exactly: $0) } }
        func hex(_ name: String) -> UInt64? { json[name]?.text.flatMap { Hexadecimal.number($0) } }
        guard let storeID = json["store"]?.text, let epoch = number("epoch"), let first = number("first"),
            let last = number("last"), let before = hex("before"), let checksum = hex("checksum"),
            let digest = hex("digest"), first > 0, last >= first - 1
        else { throw ImportFailure("Its first line is damaged.") }
        let baseBytes = json["base"]?.int.flatMap { Int(exactly: $0) }
        guard format == Self.format ? json["base"] == nil : baseBytes.map({ $0 > 0 }) ?? false else {
            throw ImportFailure("Its first line is damaged.")
        }
        guard last <= ImportLimits.sequenceMax else {
            throw ImportFailure("It ends at record \(last), but no log reaches record \(ImportLimits.sequenceMax).")
        }
        if let baseBytes, baseBytes > ImportLimits.baseBytesMax {
            throw ImportFailure(
                "The base of the compacted log has \(baseBytes) bytes, more than the maximum of "
                    + "\(ImportLimits.baseBytesMax).")
        }
        self.init(
            version: version, storeID: storeID, epoch: epoch, first: first, last: last, before: before, checksum: checksum,
            digest: digest, time: json["time"]?.int, baseBytes: baseBytes)
    }
}

/// A line of an export after the header; an import uses only the record's bytes, and reports if its readable form differs.
enum ExportLine {
    case record(SealedRecord, KeyRow?)
    case end(UInt64, outbox: [OutboxRow])

    static func record<App: DaemonApp>(_ record: SealedRecord, _ key: KeyRow?, of app: App.Type) throws(StoreError) -> [UInt8] {
        let logged: LoggedRecord<App>
        do throws(CanonicalError) { logged = try LoggedRecord(record) } catch {
            throw .damaged(sequence: record.header.sequence, what: "its payload can't be read: \(error.reason)")
        }
        var line: [UInt8] = []
        RecordMessage(logged).write(into: &line)
        line.removeLast()
        line += ",\"bytes\":\"".utf8
        Base64.append(record.bytes, to: &line)
        if let key {
            line += "\",\"done\":\"".utf8
            Base64.append(key.exportedBytes, to: &line)
        }
        line += "\"}".utf8
        return line
    }

    static func end(_ last: UInt64, outbox: [OutboxRow]) -> [UInt8] {
        var line: [UInt8] = []
        JSON.write(
            [
                .init("end", .int(Int64(clamping: last))),
                .init("outbox", .list(outbox.map { .text(Base64.text($0.exportedBytes)) })),
            ], into: &line)
        return line
    }

    init(_ json: Value, expecting sequence: UInt64) throws(ImportFailure) {
        if let end = json["end"]?.int {
            var rows: [OutboxRow] = []
            for text in json["outbox"]?.list ?? [] {
                guard let row = try? text.text.flatMap(Base64.bytes).map({ try OutboxRow(exported: $0) }) else {
                    throw ImportFailure("Its last line is damaged.")
                }
                rows.append(row)
            }
            self = .end(UInt64(clamping: end), outbox: rows)
            return
        }
        guard let bytes = json["bytes"]?.text.flatMap(Base64.bytes) else {
            throw ImportFailure("The line of record \(sequence) is damaged.")
        }
        let record: SealedRecord
        do throws(ActionLogError) { record = try SealedRecord(bytes, sequence: sequence) } catch {
            throw ImportFailure("Record \(sequence) can't be imported: \(error).")
        }
        var key: KeyRow?
        if let text = json["done"]?.text {
            let bytes = text.utf8.count <= ExportFile.baseLineBytesMax ? Base64.bytes(text) : nil
            // Checked first, because a few bytes may encode millions of ids.
            guard let bytes, KeyRow.idCount(exported: bytes) <= ImportLimits.keyIDsMax, let row = try? KeyRow(exported: bytes),
                row.last == sequence, record.header.key != nil
            else { throw ImportFailure("The key of record \(sequence) is damaged.") }
            key = row
        }
        self = .record(record, key)
    }
}

extension ExportFile {
    /// Reads each record with its key row and its line; returns the open commands after the last.
    /// - Throws: `ImportFailure`, `CancellationError`, and the errors of `take`.
    mutating func readRecords(
        of header: ExportHeader, _ take: (SealedRecord, KeyRow?, Value) async throws -> Void
    ) async throws -> [OutboxRow] {
        var sequence = header.first - 1
        var turnStart = lineBytes
        while let json = try next() {
            switch try ExportLine(json, expecting: sequence + 1) {
            case .record(let record, let key):
                try await take(record, key, json)
                sequence += 1
            case .end(let last, let outbox):
                guard last == sequence, last == header.last else { throw ImportFailure.recordsMissing }
                guard try next() == nil else { throw ImportFailure("It continues after its end.") }
                return outbox
            }
            // By bytes: some lines are as long as thousands of others.
            if lineBytes - turnStart >= Self.turnBytes {
                try Task.checkCancellation()
                await Task.yield()
                turnStart = lineBytes
            }
        }
        throw ImportFailure("It is incomplete: its last line is missing.")
    }
}
