/// Cuts a text into words and signs.
struct Scanner: Sendable {
    enum Token: Sendable, Equatable {
        case name(String)
        case text(String)
        case int(Int64)
        /// One of the signs `( ) [ ] . , : @ + - * / % == != < <= > >=`.
        case sign(String)
        case end
    }

    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    // Whether a minus stands between what came last and what follows, rather than before a number.
    private var endsValue = false

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// An error at an offset in bytes.
    func error(_ message: String, at offset: Int) -> ExpressionError {
        let before = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self)
        return ExpressionError(message, column: before.count + 1)
    }

    /// The next token, and where it begins.
    mutating func next() throws(ExpressionError) -> (token: Token, offset: Int) {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        let start = position
        guard let byte = peek() else { return (.end, start) }
        let token = try token(byte)
        endsValue =
            switch token {
            case .name(let name): !["and", "or", "not", "in"].contains(name)
            case .text, .int, .sign(")"), .sign("]"): true
            case .sign, .end: false
            }
        return (token, start)
    }

    private mutating func token(_ byte: UInt8) throws(ExpressionError) -> Token {
        let start = position
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try quoted(byte))
        case _ where Self.isDigit(byte): return .int(try number())
        case UInt8(ascii: "-") where !endsValue && position + 1 < bytes.count && Self.isDigit(bytes[position + 1]):
            return .int(try number())
        case _ where Self.beginsName(byte):
            while let byte = peek(), Self.beginsName(byte) || Self.isDigit(byte) { position += 1 }
            return .name(String(decoding: bytes[start..<position], as: UTF8.self))
        default: return .sign(try sign(byte))
        }
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func sign(_ byte: UInt8) throws(ExpressionError) -> String {
        let start = position
        let two = start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "=")
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            position += two ? 2 : 1
        case UInt8(ascii: "="), UInt8(ascii: "!"):
            guard two else {
                throw error(byte == UInt8(ascii: "=") ? "write == to compare" : "write not or !=", at: start)
            }
            position += 2
        case _ where "()[].,:@+-*/%".utf8.contains(byte):
            position += 1
        case UInt8(ascii: "&"): throw error("write and", at: start)
        case UInt8(ascii: "|"): throw error("write or", at: start)
        case 0x80...: throw error("a name with other characters than letters, digits and _ stands in [\"...\"]", at: start)
        default: throw error("this sign means nothing here", at: start)
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func number() throws(ExpressionError) -> Int64 {
        let start = position
        position += 1
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
        if let byte = peek(), Self.beginsName(byte) { throw error("a number ends with its digits", at: position) }
        guard let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw error("the number is too large", at: start)
        }
        return number
    }

    private mutating func quoted(_ quote: UInt8) throws(ExpressionError) -> String {
        let start = position
        var content: [UInt8] = []
        position += 1
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") { try escape(&content) } else { content.append(byte) }
        }
        throw error("the text that begins here has no end", at: start)
    }

    private mutating func escape(_ content: inout [UInt8]) throws(ExpressionError) {
        let start = position - 1
        guard let byte = peek() else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "u"):
            guard let scalar = hexadecimal().flatMap(Unicode.Scalar.init) else {
                throw error("\\u is followed by braces with a character's number: \\u{1F389}", at: start)
            }
            content += Array(String(Character(scalar)).utf8)
        default: throw error("there is no such escape; \\\" \\' \\\\ \\n \\t \\r and \\u{...} are known", at: start)
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard peek() == UInt8(ascii: "{") else { return nil }
        let start = position + 1
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")), (1...6).contains(end - start) else { return nil }
        position = end + 1
        return UInt32(String(decoding: bytes[start..<end], as: UTF8.self), radix: 16)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func beginsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether a text can stand as a name, without brackets.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, beginsName(first) else { return false }
        return text.utf8.allSatisfy { beginsName($0) || isDigit($0) }
    }

    /// A text as it can be read back.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
