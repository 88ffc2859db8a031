/// An interface as its `.varlink` text describes it.
public struct InterfaceDescription: Sendable, Equatable {
    /// A named value of a struct, of a method's input or output, or of an error.
    public struct Field: Sendable, Equatable {
        /// The name on the wire.
        public var name: String
        /// What the value may be.
        public var type: InterfaceType
        /// The lines of the comment above it.
        public var documentation: [String]

        /// Pairs a name with a type.
        public init(name: String, type: InterfaceType, documentation: [String] = []) {
            self.name = name
            self.type = type
            self.documentation = documentation
        }

        /// Whether its value may be left out.
        public var isOptional: Bool {
            if case .optional = type { true } else { false }
        }

        /// Whether both have one name and one type, whatever is said of them.
        public static func == (left: Field, right: Field) -> Bool {
            left.name == right.name && left.type == right.type
        }
    }

    /// A type with a name, a struct or an enum.
    public struct NamedType: Sendable, Equatable {
        /// The name without the interface.
        public var name: String
        /// What it stands for.
        public var type: InterfaceType
        /// The lines of the comment above it.
        public var documentation: [String]
    }

    /// A method with what it takes and gives.
    public struct Method: Sendable, Equatable {
        /// The name without the interface.
        public var name: String
        /// The parameters of a call.
        public var input: [Field]
        /// The parameters of a reply.
        public var output: [Field]
        /// The lines of the comment above it.
        public var documentation: [String]
    }

    /// An error that a method may answer with.
    public struct ErrorType: Sendable, Equatable {
        /// The name without the interface.
        public var name: String
        /// The parameters of the error reply.
        public var parameters: [Field]
        /// The lines of the comment above it.
        public var documentation: [String]
    }

    /// The full name, such as `org.varlink.service`.
    public let name: String
    /// The text as it was given, byte for byte.
    public let text: String
    /// The lines of the comment above the interface.
    public let documentation: [String]
    /// The types in the order of the text.
    public let types: [NamedType]
    /// The methods in the order of the text.
    public let methods: [Method]
    /// The errors in the order of the text.
    public let errors: [ErrorType]

    private let namedTypes: [String: InterfaceType]

    /// What becomes of the comments in a text.
    public enum Comments: Sendable {
        /// They stand beside what they speak of.
        case kept
        /// They stay in the text alone, for those who only check calls.
        case dropped
    }

    /// Reads the text of an interface.
    ///
    /// - Throws: the line on which something is wrong, and what: syntax, a name given twice, a type that is not there.
    public init(parsing text: String, comments: Comments = .kept) throws(InterfaceError) {
        var parser = InterfaceParser(text: text, comments: comments)
        try parser.parse()
        self.text = text
        name = parser.name
        documentation = parser.documentation
        types = parser.types
        methods = parser.methods
        errors = parser.errors
        namedTypes = Dictionary(parser.types.map { ($0.name, $0.type) }) { first, _ in first }
    }

    /// The method of this name, without the interface.
    public func method(named name: some StringProtocol) -> Method? {
        methods.first { $0.name == name }
    }

    /// The first place at which values don't fit the fields that describe them, such as `actions[2].id`; nil when they fit.
    ///
    /// A value that is not there fits an optional field, a field that is not described fits nowhere.
    public func mismatch(of members: [Value.Field], with fields: [Field]) -> String? {
        var missing = fields.count
        for member in members {
            guard let field = fields.first(where: { $0.name == member.name }) else { return member.name }
            missing -= 1
            guard let path = mismatch(of: member.value, with: field.type) else { continue }
            // A name that nobody knows says more than a value that doesn't fit.
            return members.first { member in !fields.contains { $0.name == member.name } }?.name ?? field.name + path
        }
        if missing == 0 { return nil }
        return fields.first { !$0.isOptional && members[$0.name] == nil }?.name
    }

    /// What follows the name of the value in the path to the first mismatch: empty for the value itself.
    private func mismatch(of value: Value, with type: InterfaceType) -> String? {
        switch (type, value) {
        case (.bool, .bool), (.int, .int), (.float, .int), (.float, .double), (.string, .text), (.object, .record):
            return nil
        case (.optional(let wrapped), _):
            return value.isNull ? nil : mismatch(of: value, with: wrapped)
        case (.array(let element), .list(let values)):
            for (index, value) in values.enumerated() {
                if let path = mismatch(of: value, with: element) { return "[\(index)]" + path }
            }
            return nil
        case (.map(let element), .record(let members)):
            for member in members {
                if let path = mismatch(of: member.value, with: element) { return ".\(member.name)" + path }
            }
            return nil
        case (.structure(let fields), .record(let members)):
            return mismatch(of: members, with: fields).map { "." + $0 }
        case (.enumeration(let names), .text(let name)):
            return names.contains(name) ? nil : ""
        case (.named(let name), _):
            guard let type = namedTypes[name] else { return "" }
            return mismatch(of: value, with: type)
        default:
            return ""
        }
    }
}
