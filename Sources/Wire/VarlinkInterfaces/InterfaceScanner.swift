/// Splits the text of an interface into words and symbols, skips white space, counts lines and collects comments.
package struct InterfaceScanner {
    package private(set) var line = 1
    /// The comment directly above the last consumed token, without number signs.
    package private(set) var documentation: [String] = []
    private let comments: InterfaceDescription.Comments
    private var comment: [String] = []
    private let bytes: [UInt8]
    private var offset = 0

    package init(text: String, comments: InterfaceDescription.Comments) {
        self.comments = comments
        bytes = Array(text.utf8)
    }

    /// Whether the last lookahead reached the end of the text.
    package var isAtEnd: Bool { offset == bytes.count }

    /// Consumes a word of letters, digits and underscores; nil if the next token is not a word.
    package mutating func word(including others: [UInt8] = []) throws(InterfaceError) -> String? {
        try skipSpace()
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: offset += 1
            case let byte where others.contains(byte): offset += 1
            default: return stepped(from: start)
            }
        }
        return stepped(from: start)
    }

    private mutating func stepped(from start: Int) -> String? {
        guard start < offset else { return nil }
        documentation = comment
        comment = []
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Consumes a word, which a mistake describes as `expected`.
    package mutating func word(_ expected: String, including others: [UInt8] = []) throws(InterfaceError) -> String {
        guard let word = try word(including: others) else { throw failure("expected \(expected)") }
        return word
    }

    package mutating func expect(word expected: String) throws(InterfaceError) {
        let found = try word(expected)
        try require(found == expected, "expected \(expected), not \(found)")
    }

    package mutating func expect(_ symbol: String) throws(InterfaceError) { try require(try take(symbol), "expected \(symbol)") }

    /// Consumes a symbol if it comes next.
    package mutating func take(_ symbol: String) throws(InterfaceError) -> Bool {
        guard try sees(symbol) else { return false }
        offset += symbol.utf8.count
        documentation = comment
        comment = []
        return true
    }

    /// Whether a symbol comes next.
    package mutating func sees(_ symbol: String) throws(InterfaceError) -> Bool {
        try skipSpace()
        return bytes[offset...].starts(with: symbol.utf8)
    }

    /// Consumes a symbol on the same line and the text before it; returns the text.
    package mutating func text(upTo symbol: Character) throws(InterfaceError) -> String {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") {
            offset += 1
            if bytes[offset - 1] == symbol.asciiValue { return String(decoding: bytes[start..<offset - 1], as: UTF8.self) }
        }
        throw failure("expected \(symbol)")
    }

    package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(InterfaceError) {
        if !condition { throw failure(message()) }
    }

    package func failure(_ message: String) -> InterfaceError { InterfaceError(line: line, message: message) }

    private mutating func skipSpace() throws(InterfaceError) {
        var isLineEmpty = false
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\n"):
                line += 1
                // An empty line separates a comment from the declaration below it.
                if isLineEmpty { comment = [] }
                isLineEmpty = true
            case UInt8(ascii: "\r"): throw failure("lines end with a line feed alone")
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "#"):
                isLineEmpty = false
                let line = try commentLine()
                if comments == .kept { comment.append(line) }
                continue
            default: return
            }
            offset += 1
        }
    }

    /// Consumes the rest of a comment line and returns it without the number sign.
    private mutating func commentLine() throws(InterfaceError) -> String {
        var start = offset + 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") {
            guard bytes[offset] != UInt8(ascii: "\r") else { throw failure("lines end with a line feed alone") }
            offset += 1
        }
        if start < offset, bytes[start] == UInt8(ascii: " ") { start += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
}
