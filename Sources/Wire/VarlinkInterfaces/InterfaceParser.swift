/// Parses an interface according to the grammar on varlink.org.
struct InterfaceParser {
    private(set) var name = ""
    private(set) var documentation: [String] = []
    private(set) var types: [InterfaceDescription.NamedType] = []
    private(set) var methods: [InterfaceDescription.Method] = []
    private(set) var errors: [InterfaceDescription.ErrorType] = []
    private var scanner: InterfaceScanner
    private var names: Set<String> = []
    /// References to named types, checked at the end because a type may be defined after its use.
    private var uses: [(name: String, line: Int)] = []

    init(text: String, comments: InterfaceDescription.Comments) { scanner = InterfaceScanner(text: text, comments: comments) }

    mutating func parse() throws(InterfaceError) {
        try scanner.expect(word: "interface")
        documentation = scanner.documentation
        name = try interfaceName()
        while let keyword = try scanner.word() {
            let documentation = scanner.documentation
            switch keyword {
            case "type":
                let name = try memberName()
                let type = try bracketed()
                types.append(.init(name: name, type: type, documentation: documentation))
            case "method":
                let name = try memberName()
                let input = try fields()
                try scanner.expect("->")
                methods.append(.init(name: name, input: input, output: try fields(), documentation: documentation))
            case "error":
                let name = try memberName()
                errors.append(.init(name: name, parameters: try fields(), documentation: documentation))
            default: throw scanner.failure("expected type, method or error, not \(keyword)")
            }
        }
        try scanner.require(scanner.isAtEnd, "expected type, method or error")
        for use in uses where !types.contains(where: { $0.name == use.name }) {
            throw InterfaceError(line: use.line, message: "there is no type \(use.name)")
        }
    }

    private mutating func interfaceName() throws(InterfaceError) -> String {
        let name = try scanner.word("the name of the interface", including: [UInt8(ascii: "."), UInt8(ascii: "-")])
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let areValid = labels.allSatisfy { !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") && !$0.contains("_") }
        try scanner.require(
            labels.count > 1 && areValid && name.utf8.first.map { $0 > UInt8(ascii: "9") } ?? false,
            "\(name) is no name of an interface")
        return name
    }

    /// Reads the name of a type, method or error; all three share one namespace.
    private mutating func memberName() throws(InterfaceError) -> String {
        let name = try scanner.word("a name")
        try scanner.require(
            "A"..."Z" ~= name.prefix(1) && !name.contains("_"),
            "\(name) must begin with a capital letter and hold only letters and digits")
        try scanner.require(names.insert(name).inserted, "\(name) is described twice")
        return name
    }

    private mutating func fieldName() throws(InterfaceError) -> String {
        let name = try scanner.word("the name of a field")
        let isLetter = name.utf8.first.map { $0 > UInt8(ascii: "9") && $0 != UInt8(ascii: "_") } ?? false
        try scanner.require(isLetter && !name.hasSuffix("_") && !name.contains("__"), "\(name) is no name of a field")
        return name
    }

    private mutating func fields() throws(InterfaceError) -> [InterfaceDescription.Field] {
        guard case .structure(let fields) = try bracketed() else {
            throw scanner.failure("expected fields with types, not an enum")
        }
        return fields
    }

    /// Reads a parenthesized list: a struct's typed fields or an enum's names.
    private mutating func bracketed() throws(InterfaceError) -> InterfaceType {
        try scanner.expect("(")
        if try scanner.take(")") { return .structure([]) }
        var (names, fields): ([String], [InterfaceDescription.Field]) = ([], [])
        repeat {
            let name = try fieldName()
            let documentation = scanner.documentation
            try scanner.require(!names.contains(name), "\(name) is described twice")
            // The first one decides whether all have types.
            if try names.isEmpty ? scanner.sees(":") : !fields.isEmpty {
                try scanner.expect(":")
                fields.append(.init(name: name, type: try type(), documentation: documentation))
            }
            names.append(name)
        } while try scanner.take(",")
        try scanner.expect(")")
        return fields.isEmpty ? .enumeration(names) : .structure(fields)
    }

    /// Maximum nesting depth of types, equal to the limit for JSON values.
    private static let depthMax = 64
    private var depth = 0

    private mutating func type() throws(InterfaceError) -> InterfaceType {
        depth += 1
        defer { depth -= 1 }
        try scanner.require(depth <= Self.depthMax, "types stand more than \(Self.depthMax) deep inside each other")
        if try scanner.take("?") {
            let wrapped = try type()
            if case .optional = wrapped { throw scanner.failure("an optional of an optional") }
            return .optional(wrapped)
        }
        if try scanner.take("[") {
            let isMap = try !scanner.take("]")
            if isMap {
                try scanner.expect(word: "string")
                try scanner.expect("]")
            }
            let element = try type()
            return isMap ? .map(element) : .array(element)
        }
        if try scanner.sees("(") { return try bracketed() }
        let name = try scanner.word("a type")
        if let basic = Self.basicTypes[name] { return basic }
        try scanner.require("A"..."Z" ~= name.prefix(1), "there is no type \(name)")
        uses.append((name, scanner.line))
        return .named(name)
    }

    private static let basicTypes: [String: InterfaceType] = [
        "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object,
    ]
}

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

    package mutating func take(_ symbol: String) throws(InterfaceError) -> Bool {
        guard try sees(symbol) else { return false }
        offset += symbol.utf8.count
        documentation = comment
        comment = []
        return true
    }

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
