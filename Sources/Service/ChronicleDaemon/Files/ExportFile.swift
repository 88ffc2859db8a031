import Glibc
import Varlink
import Zstandard

struct ExportFile: ~Copyable {
    /// Maximum bytes of a line: the largest record as text, with its description for people.
    static let lineBytesMax = 64 << 20
    /// Maximum bytes of a base or key line: four times a piece of a base, and twice a dispatch of the maximum number of records, each
    /// with its own ids.
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

    /// The next line as JSON, of at most `bytesMax` bytes; `nil` after the last.
    mutating func next(bytesMax: Int = lineBytesMax) throws(ImportFailure) -> Value? {
        guard let bytes = try nextLine() else { return nil }
        guard bytes.count <= bytesMax else { throw ImportFailure("Line \(line) is too long.") }
        // Check first; each value takes at least two bytes.
        guard bytes.count / 2 <= Self.linePartsMax || Self.parts(of: bytes) <= Self.linePartsMax else {
            throw ImportFailure("Line \(line) holds more than \(Self.linePartsMax) values.")
        }
        do { return try Value(parsing: bytes) } catch { throw ImportFailure("Line \(line) is damaged: \(error).") }
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
                throw ImportFailure("It can't be decompressed behind line \(line): \(error.reason).")
            }
            let bytes = try read()
            guard !bytes.isEmpty else {
                guard decompressor.isComplete else { throw ImportFailure("It ends too early, behind line \(line).") }
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
