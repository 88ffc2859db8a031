/// What a state looks like by name, whatever it holds.
///
/// It tells a misspelt path from one to a place where there is nothing just now.
public indirect enum Shape: Sendable {
    case bool, int, text
    /// Elements of one shape; what selects one is its position, or its field `id` if it has one.
    case list(Shape)
    /// Any names, which all lead to the same shape.
    case map(Shape)
    /// These names and no others; each may be left out.
    case record([Field])
    /// Anything: of what doesn't say what it looks like.
    case any

    /// A named part of a record.
    public struct Field: Sendable {
        public var name: String
        public var shape: Shape
        /// Whether it may be left out of what is read.
        public var isOptional: Bool
        /// Whether the daemon fills it in by itself, so that no person is asked for it.
        public var isFilledIn: Bool
        /// Other names that it once had.
        public var formerNames: [String]

        public init(
            _ name: String, _ shape: Shape, isOptional: Bool = false, isFilledIn: Bool = false, formerNames: [String] = []
        ) {
            self.name = name
            self.shape = shape
            self.isOptional = isOptional
            self.isFilledIn = isFilledIn
            self.formerNames = formerNames
        }
    }

    /// The shape behind a name; `nil` if there is no such field, or there are no names.
    public subscript(name: String) -> Shape? {
        switch self {
        case .record(let fields): fields.first { $0.name.hasSameBytes(as: name) }?.shape
        case .map(let shape): shape
        case .any: .any
        case .bool, .int, .text, .list: nil
        }
    }

    /// The name that a field has now, if this is one that it once had; any other name as it is.
    public func currentName(of name: String) -> String {
        guard case .record(let fields) = self, self[name] == nil else { return name }
        return fields.first { $0.formerNames.contains { $0.hasSameBytes(as: name) } }?.name ?? name
    }
}

extension Shape: ExpressibleByDictionaryLiteral {
    /// A record, its fields in the order written.
    public init(dictionaryLiteral elements: (String, Shape)...) {
        self = .record(elements.map { Field($0.0, $0.1) })
    }
}
