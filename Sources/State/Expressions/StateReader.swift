public import Chronicle

/// Access to the parts of a state that paths and expressions read.
///
/// The methods are mutating so that a reader can cache results.
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
