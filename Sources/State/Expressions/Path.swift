public import Reducing

/// Names a place in a state: `todos.items[12].title`.
///
/// The form is specified in EXPRESSIONS.md. Names are compared by their bytes.
public struct Path: Sendable {
    /// One way down.
    public enum Step: Sendable {
        /// The field of a record, or the list element whose `id` is this text: `.title`, `["apple/swift"]`.
        case name(String)
        /// The list element of an id: `[12]`.
        case id(Int64)
        /// The list element at a position, from 0; below 0 from the end: `[@0]`, `[@-1]`.
        case position(Int)
    }

    /// The ways down from the root; at least one in a path that was read.
    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// Reads a path into states of a shape.
    ///
    /// - Throws: an error that points at the column where it is not one, or leads to what no such state has.
    public init(_ text: String, of shape: Shape = .any) throws(ExpressionError) {
        var parser = try Parser(text, of: shape)
        self = try parser.wholePath()
    }

    /// The names before the first step that is none.
    public var names: [String] {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { break }
            names.append(name)
        }
        return names
    }

    /// This path, and one step further.
    public func appending(_ step: Step) -> Path { Path(steps + [step]) }

    /// Whether this is the other path or leads to it.
    public func isPrefix(of other: Path) -> Bool {
        steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy { $0 == $1 }
    }
}

extension Path.Step: Hashable {
    /// Compares names by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.name(let left), .name(let right)): left.hasSameBytes(as: right)
        case (.id(let left), .id(let right)): left == right
        case (.position(let left), .position(let right)): left == right
        default: false
        }
    }

    /// Hashes names by their bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .name(let name): for byte in name.utf8 { hasher.combine(byte) }
        case .id(let id): hasher.combine(id)
        case .position(let position): hasher.combine(position)
        }
    }
}

extension Path: Hashable {}

extension Path: CustomStringConvertible {
    /// The form that `init(_:)` reads.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name) where Scanner.isName(name): text += text.isEmpty ? name : "." + name
            case .name(let name): text += "[" + Scanner.quoted(name) + "]"
            case .id(let id): text += "[\(id)]"
            case .position(let position): text += "[@\(position)]"
            }
        }
        return text
    }
}
