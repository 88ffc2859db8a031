/// The rows of a CSV table with a header (RFC 4180).
///
/// If the header has no comma, semicolons or tabs are accepted as separators.
struct CSVTable {
    private(set) var header: [String] = []
    private(set) var rows: [(line: Int, fields: [String])] = []

    /// - Throws: the line of the first syntax error.
    init(_ bytes: [UInt8]) throws(FormatError) {
        // Reports lines that are not UTF-8 or too long.
        _ = try SourceText.lines(bytes)
        let end = bytes.firstIndex(of: SourceText.lineFeed) ?? bytes.count
        let first = bytes[..<end]
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        var reader = CSVReader(bytes: bytes, separator: separators.first { first.contains($0) } ?? separators[0])
        var isFirst = true
        while let (line, fields) = try reader.row() {
            // Skip blank lines.
            if fields.count == 1, Words.isBlank(fields[0]) { continue }
            guard !isFirst else {
                header = fields.map { Words.trimmed($0).lowercased() }
                isFirst = false
                continue
            }
            guard fields.count == header.count else {
                let found = fields.count == 1 ? "1 is" : "\(fields.count) are"
                throw FormatError(line: line, "the header names \(header.count) columns, and \(found) here")
            }
            rows.append((line, fields))
        }
    }

    static func line(_ fields: [String]) -> String { fields.map(quoted).joined(separator: ",") + "\r\n" }

    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != SourceText.lineFeed
                && byte != SourceText.carriageReturn
        }
        // Compare bytes: a quote with a combining mark is a different Character.
        guard !isPlain || text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return text }
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

private struct CSVReader {
    let bytes: [UInt8]
    let separator: UInt8
    private var offset = 0
    private var line = 1

    init(bytes: [UInt8], separator: UInt8) {
        self.bytes = bytes
        self.separator = separator
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The next row and the number of its first line; `nil` at the end.
    mutating func row() throws(FormatError) -> (line: Int, fields: [String])? {
        guard self.byte != nil else { return nil }
        let start = line
        var fields: [String] = []
        while true {
            fields.append(try self.byte == UInt8(ascii: "\"") ? quoted() : plain())
            guard let end = self.byte else { return (start, fields) }
            offset += 1
            if end == separator { continue }
            if end == SourceText.carriageReturn, self.byte == SourceText.lineFeed { offset += 1 }
            line += 1
            return (start, fields)
        }
    }

    private mutating func plain() throws(FormatError) -> String {
        let start = offset
        while let byte, byte != separator, !isEnd(byte) {
            guard byte != UInt8(ascii: "\"") else {
                throw FormatError(line: line, "a quote is in an unquoted field")
            }
            offset += 1
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func quoted() throws(FormatError) -> String {
        let start = line
        var text: [UInt8] = []
        offset += 1
        while let byte {
            offset += 1
            guard byte == UInt8(ascii: "\"") else {
                if byte == SourceText.lineFeed { line += 1 }
                text.append(byte)
                continue
            }
            if self.byte == UInt8(ascii: "\"") {
                offset += 1
                text.append(byte)
                continue
            }
            if let next = self.byte, next != separator, !isEnd(next) {
                throw FormatError(line: line, "text follows the quote that ends a field")
            }
            return String(decoding: text, as: UTF8.self)
        }
        throw FormatError(line: start, "the quote that begins here is not closed")
    }

    // A carriage return without a line feed is part of a field.
    private func isEnd(_ byte: UInt8) -> Bool {
        guard byte == SourceText.carriageReturn else { return byte == SourceText.lineFeed }
        return offset + 1 < bytes.count && bytes[offset + 1] == SourceText.lineFeed
    }
}
