/// Walks over the text of an interface, past white space, counts lines, and keeps the comments before each word and symbol.
struct InterfaceScanner {
    private(set) var line = 1
    /// The comment directly above what was stepped over last, without its number signs.
    private(set) var documentation: [String] = []
    private let comments: InterfaceDescription.Comments
    private var comment: [String] = []
    private let bytes: [UInt8]
    private var offset = 0

    init(text: String, comments: InterfaceDescription.Comments) {
        self.comments = comments
        bytes = Array(text.utf8)
    }

    /// Whether nothing but white space and comments was left when something was last looked for.
    var isAtEnd: Bool { offset == bytes.count }

    /// The next word of letters, digits and underscores, nil when something else comes.
    mutating func word(including others: [UInt8] = []) throws(InterfaceError) -> String? {
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

    mutating func expect(word expected: String) throws(InterfaceError) {
        guard let found = try word() else { throw failure("expected \(expected)") }
        guard found == expected else { throw failure("expected \(expected), not \(found)") }
    }

    mutating func expect(_ symbol: String) throws(InterfaceError) {
        guard try take(symbol) else { throw failure("expected \(symbol)") }
    }

    /// Steps over a symbol if it comes next.
    mutating func take(_ symbol: String) throws(InterfaceError) -> Bool {
        guard try sees(symbol) else { return false }
        offset += symbol.utf8.count
        documentation = comment
        comment = []
        return true
    }

    /// Whether a symbol comes next.
    mutating func sees(_ symbol: String) throws(InterfaceError) -> Bool {
        try skipSpace()
        return bytes[offset...].starts(with: symbol.utf8)
    }

    func failure(_ message: String) -> InterfaceError {
        InterfaceError(line: line, message: message)
    }

    private mutating func skipSpace() throws(InterfaceError) {
        var isLineEmpty = false
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\n"):
                line += 1
                // An empty line parts a comment from what comes below it.
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

    /// What follows a number sign, up to the end of its line.
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
