/// A parsed Varlink interface.
///
/// The parts are in source order and have unqualified names. The documentation of each part is the lines of the comment above it.
public struct InterfaceDescription: Sendable, Equatable {
    /// A named and typed member of a struct, of a method's input or output, or of an error.
    public struct Field: Sendable, Equatable {
        public var name: String
        public var type: InterfaceType
        public var documentation: [String]

        public init(name: String, type: InterfaceType, documentation: [String] = []) {
            (self.name, self.type, self.documentation) = (name, type, documentation)
        }

        public var isOptional: Bool { if case .optional = type { true } else { false } }

        /// Compares name and type; documentation is ignored.
        public static func == (left: Field, right: Field) -> Bool { left.name == right.name && left.type == right.type }
    }

    public struct NamedType: Sendable, Equatable {
        public var name: String
        public var type: InterfaceType
        public var documentation: [String]
    }

    public struct Method: Sendable, Equatable {
        public var name: String
        public var input: [Field]
        public var output: [Field]
        public var documentation: [String]
    }

    public struct ErrorType: Sendable, Equatable {
        public var name: String
        public var parameters: [Field]
        public var documentation: [String]
    }

    /// The qualified name, such as `org.varlink.service`.
    public let name: String
    /// The source text, byte for byte.
    public let text: String
    public let documentation: [String]
    public let types: [NamedType]
    public let methods: [Method]
    public let errors: [ErrorType]
    private let namedTypes: [String: InterfaceType]

    public enum Comments: Sendable {
        case kept
        /// Saves memory if the description is only used to validate calls.
        case dropped
    }

    /// Parses the text of an interface.
    /// - Throws: the line and the reason: a syntax error, a duplicate name or an undefined type.
    public init(parsing text: String, comments: Comments = .kept) throws(InterfaceError) {
        var parser = InterfaceParser(text: text, comments: comments)
        try parser.parse()
        self.text = text
        (name, documentation) = (parser.name, parser.documentation)
        (types, methods, errors) = (parser.types, parser.methods, parser.errors)
        namedTypes = Dictionary(parser.types.map { ($0.name, $0.type) }) { first, _ in first }
    }

    public func type(named name: String) -> InterfaceType? { namedTypes[name] }
}

/// The type of a value in an interface.
public indirect enum InterfaceType: Sendable, Equatable {
    case bool
    case int
    case float
    case string
    /// Any JSON object.
    case object
    case named(String)
    case structure([InterfaceDescription.Field])
    case enumeration([String])
    /// The value may also be omitted or null.
    case optional(InterfaceType)
    case array(InterfaceType)
    /// An object with arbitrary keys and values of one type.
    case map(InterfaceType)
}

/// Why a text is not a valid interface description.
public struct InterfaceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line number, starting at 1.
    public var line: Int
    public var message: String

    public init(line: Int, message: String) { (self.line, self.message) = (line, message) }
    public var description: String { "line \(line): \(message)" }
}
