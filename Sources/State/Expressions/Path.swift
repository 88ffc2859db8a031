public import Chronicle

/// A place in a state: `todos.items[12].title`.
///
/// The syntax is specified in EXPRESSIONS.md. Names are compared by their bytes.
public struct Path: Sendable {
    public enum Step: Sendable {
        /// The field of a record, or the list element whose `id` is this text: `.title`, `["apple/swift"]`.
        case name(String)
        /// The list element with an id: `[12]`.
        case id(Int64)
        /// The list element at an index, counted from the end if negative: `[@0]`, `[@-1]`.
        case position(Int)
    }

    /// The steps from the root; a parsed path has at least one.
    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// Parses a path in states of a shape.
    /// - Throws: a syntax error, or a name that no state of the shape has, with its column.
    public init(_ text: String, of shape: Shape = .any) throws(ExpressionError) {
        var parser = try Parser(text, of: shape)
        self = try parser.wholePath()
    }

    /// The leading steps that are names.
    public var names: [String] {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { break }
            names.append(name)
        }
        return names
    }

    public func appending(_ step: Step) -> Path { Path(steps + [step]) }

    /// Whether this path equals the other one or is an ancestor of it.
    public func isPrefix(of other: Path) -> Bool {
        steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy { $0 == $1 }
    }

    public enum Found: Sendable {
        case nothing
        case value(Value)
        /// A list that is read page by page.
        // Indirect, so that the usual case, a value, stays small.
        indirect case list(ListView)
    }

    public func read(from reader: inout some StateReader) -> Found {
        var passed = 0
        return reader.read(self, passed: &passed)
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
    /// The form that `init(_:)` parses.
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

extension StateReader {
    /// - Parameter passed: increased by the number of parts that were searched.
    mutating func read(_ path: Path, passed: inout Int) -> Path.Found {
        let names = path.names
        if let list = list(along: names) {
            guard list.depth < path.steps.count else { return .list(list.view) }
            return list.view.element(path.steps[list.depth], passed: &passed)
                .flatMap { $0.part(path.steps[(list.depth + 1)...], passed: &passed) }.map(Path.Found.value) ?? .nothing
        }
        // The last name is searched among these parts.
        passed += value(at: names.dropLast())?.partCount ?? 0
        return value(at: names).flatMap { $0.part(path.steps[names.count...], passed: &passed) }.map(Path.Found.value) ?? .nothing
    }
}

extension Value {
    var partCount: Int {
        switch self {
        case .record(let fields): fields.count
        case .list(let elements): elements.count
        default: 0
        }
    }

    /// The part that steps select; `nil` for none.
    /// - Parameter passed: increased by the number of parts that were searched.
    func part(_ steps: ArraySlice<Path.Step>, passed: inout Int) -> Value? {
        var value = self
        for step in steps {
            passed += value.partCount
            guard let part = value.part(step) else { return nil }
            value = part
        }
        return value
    }

    public func part(_ step: Path.Step) -> Value? {
        switch self {
        case .record(let fields):
            if case .name(let name) = step { fields.first { $0.name.hasSameBytes(as: name) }?.value } else { nil }
        case .list(let elements):
            if case .position(let position) = step {
                Self.index(position, in: elements.count).map { elements[$0] }
            } else {
                elements.first { $0.hasID(step) }
            }
        default: nil
        }
    }

    /// Whether the step selects this element by its ID.
    func hasID(_ step: Path.Step) -> Bool {
        switch (step, part(.name("id"))) {
        case (.id(let id), .int(let own)?): id == own
        case (.name(let id), .text(let own)?): id.hasSameBytes(as: own)
        default: false
        }
    }

    fileprivate static func index(_ position: Int, in count: Int) -> Int? {
        let index = position < 0 ? count + position : position
        return index >= 0 && index < count ? index : nil
    }
}

extension ListView {
    func element(_ step: Path.Step, passed: inout Int) -> Value? {
        switch step {
        case .position(let position): return Value.index(position, in: count).flatMap { elements($0..<$0 + 1).first }
        case .id(let id):
            if let find { return find(id) }
        case .name: break
        }
        var start = 0
        while start < count {
            let end = min(count, start + ExpressionLimits.pageElementsMax)
            passed += end - start
            if let element = elements(start..<end).first(where: { $0.hasID(step) }) { return element }
            start = end
        }
        return nil
    }
}

/// Access to the parts of a state that paths and expressions read; the methods are mutating so that a reader can cache results.
public protocol StateReader {
    /// Returns the list at a prefix of the names, and the length of the prefix.
    mutating func list(along names: [String]) -> (view: ListView, depth: Int)?

    /// Returns the value at the names; `nil` for none. Lists that `list(along:)` returns are empty in it.
    mutating func value(at names: [String]) -> Value?
}

/// Reads the parts of a value, including its lists.
public struct ValueReader: StateReader, Sendable {
    public var root: Value

    public init(_ root: Value) { self.root = root }

    /// Always `nil`, because the value contains its lists.
    public mutating func list(along names: [String]) -> (view: ListView, depth: Int)? { nil }

    public mutating func value(at names: [String]) -> Value? {
        names.reduce(Optional(root)) { value, name in value?.part(.name(name)) }
    }
}

/// Reads the parts of a feature's state: lists page by page, and the rest from a cached summary.
public struct StateReading<App: Feature>: StateReader, Sendable {
    private let state: App.State
    private var lists: [ListView]?
    private var summary: Value?

    public init(_ state: App.State) { self.state = state }

    public mutating func list(along names: [String]) -> (view: ListView, depth: Int)? {
        let lists = self.lists ?? App.lists(of: state)
        self.lists = lists
        for view in lists {
            let parts = view.path.split(separator: ".")
            guard parts.count <= names.count else { continue }
            if zip(parts, names).allSatisfy({ String($0).hasSameBytes(as: $1) }) { return (view, parts.count) }
        }
        return nil
    }

    public mutating func value(at names: [String]) -> Value? {
        let summary = self.summary ?? App.summary(of: state)
        self.summary = summary
        return names.reduce(Optional(summary)) { value, name in value?.part(.name(name)) }
    }
}

extension Feature {
    /// The scope that a path reads; `nil` if it has none, so that any change may matter.
    package static func scope(of path: Path) -> ScopeSet? {
        var names = path.names
        while !names.isEmpty {
            let name = names.joined(separator: ".")
            if let index = scopes.firstIndex(where: { $0.hasSameBytes(as: name) }) { return ScopeSet(index: index) }
            names.removeLast()
        }
        return nil
    }

    /// The scopes that paths read; `nil` if one of them has none.
    package static func scopes(of paths: [Path]) -> ScopeSet? {
        var set: ScopeSet = []
        for path in paths {
            guard let scope = scope(of: path) else { return nil }
            set.formUnion(scope)
        }
        return set
    }
}
