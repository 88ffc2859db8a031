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

    /// The type that the interface calls so.
    public func type(named name: String) -> InterfaceType? { namedTypes[name] }
}
