/// The schema of a state by name, independent of its content; tells a misspelt path from a path to a missing value.
public indirect enum Shape: Sendable {
    case bool, int, text
    /// Elements of one shape, which are selected by index, or by their field `id` if they have one.
    case list(Shape)
    /// Values of one shape under any names.
    case map(Shape)
    /// Fields with these names and no others; each may be left out.
    case record([Field])
    /// Any value.
    case any

    /// A named part of a record.
    public struct Field: Sendable {
        public var name: String
        public var shape: Shape
        /// Whether it may be missing when it is read.
        public var isOptional: Bool
        /// Whether the daemon fills it in, so that forms need not ask for it.
        public var isFilledIn: Bool
        /// Former names.
        public var formerNames: [String]

        public init(
            _ name: String, _ shape: Shape, isOptional: Bool = false, isFilledIn: Bool = false, formerNames: [String] = []
        ) {
            (self.name, self.shape, self.isOptional, self.isFilledIn) = (name, shape, isOptional, isFilledIn)
            self.formerNames = formerNames
        }
    }

    /// The shape of a field; `nil` if no field has the name.
    public subscript(name: String) -> Shape? {
        switch self {
        case .record(let fields): fields.first { $0.name.hasSameBytes(as: name) }?.shape
        case .map(let shape): shape
        case .any: .any
        case .bool, .int, .text, .list: nil
        }
    }

    /// The present name of a field with a former name; any other name unchanged.
    public func currentName(of name: String) -> String {
        guard case .record(let fields) = self, self[name] == nil else { return name }
        return fields.first { $0.formerNames.contains { $0.hasSameBytes(as: name) } }?.name ?? name
    }
}

extension Shape: ExpressibleByDictionaryLiteral {
    /// A record, its fields in the order written.
    public init(dictionaryLiteral elements: (String, Shape)...) { self = .record(elements.map { Field($0.0, $0.1) }) }
}
