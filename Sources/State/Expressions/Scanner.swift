struct Scanner: Sendable {
    enum Token: Sendable, Equatable {
        case name(String)
        case text(String)
        case int(Int64)
        /// One of `( ) [ ] . , : @ + - * / % == != < <= > >=`.
        case sign(String)
        case end
    }

    private let bytes: [UInt8]
    private var position = 0
    // Whether a minus after the last token is an operator rather than the sign of a number.
    private var endsValue = false

    init(_ text: String) { bytes = Array(text.utf8) }

    func error(_ message: String, at offset: Int) -> ExpressionError {
        ExpressionError(message, column: text(0..<offset).count + 1)
    }

    mutating func next() throws(ExpressionError) -> (token: Token, offset: Int) {
        skip { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        let start = position
        guard let first = peek() else { return (.end, start) }
        let isSigned = first == "-" && !endsValue && peek(1).map(Self.isDigit) == true
        let token: Token
        if first == "\"" || first == "'" {
            token = .text(try quoted(first))
        } else if isSigned || Self.isDigit(first) {
            token = .int(try number())
        } else if Self.beginsName(first) {
            skip { Self.beginsName($0) || Self.isDigit($0) }
            token = .name(text(start..<position))
        } else {
            token = .sign(try sign(first))
        }
        endsValue =
            switch token {
            case .name(let name): !["and", "or", "not", "in"].contains(name)
            case .text, .int, .sign(")"), .sign("]"): true
            case .sign, .end: false
            }
        return (token, start)
    }

    /// The byte at a distance, as a scalar to compare it with literals.
    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < bytes.count ? Unicode.Scalar(bytes[position + distance]) : nil
    }

    private mutating func skip(_ isPart: (Unicode.Scalar) -> Bool) { while let scalar = peek(), isPart(scalar) { position += 1 } }
    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private mutating func sign(_ first: Unicode.Scalar) throws(ExpressionError) -> String {
        let start = position
        position += 1
        let isDouble = peek() == "="
        let message: String
        switch first {
        case "<" where isDouble, ">" where isDouble, "=" where isDouble, "!" where isDouble:
            position += 1
            return text(start..<position)
        case "<", ">", "(", ")", "[", "]", ".", ",", ":", "@", "+", "-", "*", "/", "%": return String(first)
        case "=": message = "write == to compare"
        case "!": message = "write not or !="
        case "&": message = "write and"
        case "|": message = "write or"
        case "\u{80}"...: message = "a name with other characters than letters, digits and _ stands in [\"...\"]"
        default: message = "this sign means nothing here"
        }
        throw error(message, at: start)
    }

    private mutating func number() throws(ExpressionError) -> Int64 {
        let start = position
        position += 1
        skip(Self.isDigit)
        if let next = peek(), Self.beginsName(next) { throw error("a number ends with its digits", at: position) }
        guard let number = Int64(text(start..<position)) else { throw error("the number is too large", at: start) }
        return number
    }

    private mutating func quoted(_ quote: Unicode.Scalar) throws(ExpressionError) -> String {
        let start = position
        var content: [UInt8] = []
        position += 1
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(decoding: content, as: UTF8.self) }
            if scalar == "\\" { content += Array(String(try escape()).utf8) } else { content.append(bytes[position - 1]) }
        }
        throw error("the text that begins here has no end", at: start)
    }

    private mutating func escape() throws(ExpressionError) -> Unicode.Scalar {
        let start = position - 1
        defer { position += 1 }
        let scalar = peek()
        switch scalar {
        case "\"", "'", "\\", "/", nil: return scalar ?? "\\"
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u":
            guard let scalar = hexadecimal().flatMap(Unicode.Scalar.init) else {
                throw error("\\u is followed by braces with a character's number: \\u{1F389}", at: start)
            }
            return scalar
        default: throw error("there is no such escape; \\\" \\' \\\\ \\n \\t \\r and \\u{...} are known", at: start)
        }
    }

    /// Parses the number in `u{1F389}`, up to its closing brace.
    private mutating func hexadecimal() -> UInt32? {
        let start = position + 2
        guard peek(1) == "{", let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")), (1...6).contains(end - start) else {
            return nil
        }
        position = end
        return UInt32(text(start..<end), radix: 16)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// Whether a text can be written as a name without brackets.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, beginsName(first) else { return false }
        return text.unicodeScalars.allSatisfy { beginsName($0) || isDigit($0) }
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case "\0"..<" ", "\u{7F}": quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
