/// Reads the text of an interface, by the grammar on varlink.org.
struct InterfaceParser {
    private(set) var name = ""
    private(set) var documentation: [String] = []
    private(set) var types: [InterfaceDescription.NamedType] = []
    private(set) var methods: [InterfaceDescription.Method] = []
    private(set) var errors: [InterfaceDescription.ErrorType] = []

    private var scanner: InterfaceScanner
    private var names: Set<String> = []
    /// Where a type was named that may be described further down.
    private var uses: [(name: String, line: Int)] = []

    init(text: String, comments: InterfaceDescription.Comments) {
        scanner = InterfaceScanner(text: text, comments: comments)
    }

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
            default:
                throw scanner.failure("expected type, method or error, not \(keyword)")
            }
        }
        guard scanner.isAtEnd else { throw scanner.failure("expected type, method or error") }
        for use in uses where !types.contains(where: { $0.name == use.name }) {
            throw InterfaceError(line: use.line, message: "there is no type \(use.name)")
        }
    }

    private mutating func interfaceName() throws(InterfaceError) -> String {
        guard let name = try scanner.word(including: [UInt8(ascii: "."), UInt8(ascii: "-")]) else {
            throw scanner.failure("expected the name of the interface")
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels[0].utf8.first.map({ $0 > UInt8(ascii: "9") }) ?? false else {
            throw scanner.failure("\(name) is no name of an interface")
        }
        for label in labels where label.isEmpty || label.hasPrefix("-") || label.hasSuffix("-") || label.contains("_") {
            throw scanner.failure("\(name) is no name of an interface")
        }
        return name
    }

    /// The name of a type, method or error: they share one set of names.
    private mutating func memberName() throws(InterfaceError) -> String {
        guard let name = try scanner.word() else { throw scanner.failure("expected a name") }
        guard let first = name.utf8.first, 0x41...0x5A ~= first, !name.contains("_") else {
            throw scanner.failure("\(name) must begin with a capital letter and hold only letters and digits")
        }
        guard names.insert(name).inserted else { throw scanner.failure("\(name) is described twice") }
        return name
    }

    private mutating func fieldName() throws(InterfaceError) -> String {
        guard let name = try scanner.word() else { throw scanner.failure("expected the name of a field") }
        guard let first = name.utf8.first, first > UInt8(ascii: "9"), first != 0x5F, !name.hasSuffix("_"), !name.contains("__")
        else {
            throw scanner.failure("\(name) is no name of a field")
        }
        return name
    }

    private mutating func fields() throws(InterfaceError) -> [InterfaceDescription.Field] {
        guard case .structure(let fields) = try bracketed() else {
            throw scanner.failure("expected fields with types, not an enum")
        }
        return fields
    }

    /// What stands in parentheses: fields with types, or names without.
    private mutating func bracketed() throws(InterfaceError) -> InterfaceType {
        try scanner.expect("(")
        if try scanner.take(")") { return .structure([]) }
        let first = try fieldName()
        var documentation = scanner.documentation
        guard try scanner.take(":") else { return try enumeration(first) }
        var fields = [InterfaceDescription.Field(name: first, type: try type(), documentation: documentation)]
        while try scanner.take(",") {
            let name = try fieldName()
            documentation = scanner.documentation
            guard !fields.contains(where: { $0.name == name }) else { throw scanner.failure("\(name) is described twice") }
            try scanner.expect(":")
            fields.append(.init(name: name, type: try type(), documentation: documentation))
        }
        try scanner.expect(")")
        return .structure(fields)
    }

    private mutating func enumeration(_ first: String) throws(InterfaceError) -> InterfaceType {
        var names = [first]
        while try scanner.take(",") {
            let name = try fieldName()
            guard !names.contains(name) else { throw scanner.failure("\(name) is described twice") }
            names.append(name)
        }
        try scanner.expect(")")
        return .enumeration(names)
    }

    /// How many types may stand inside each other, as many as values in JSON.
    private static let depthMax = 64
    private var depth = 0

    private mutating func type() throws(InterfaceError) -> InterfaceType {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw scanner.failure("types stand more than \(Self.depthMax) deep inside each other")
        }
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
        guard let name = try scanner.word() else { throw scanner.failure("expected a type") }
        switch name {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        default:
            guard let first = name.utf8.first, 0x41...0x5A ~= first else { throw scanner.failure("there is no type \(name)") }
            uses.append((name, scanner.line))
            return .named(name)
        }
    }
}
