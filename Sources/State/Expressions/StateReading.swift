public import Reducing

/// Lends paths and expressions the parts of a feature's state: a list page by page, the rest as a summary, made once.
public struct StateReading<App: Feature>: StateReader, Sendable {
    private let state: App.State
    private var lists: [ListView]?
    private var summary: Value?

    public init(_ state: App.State) { self.state = state }

    /// The list of the state that stands along some names.
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

    /// The part of the summary at some names.
    public mutating func value(at names: [String]) -> Value? {
        let summary = self.summary ?? App.summary(of: state)
        self.summary = summary
        return names.reduce(Optional(summary)) { value, name in value?.part(.name(name)) }
    }
}

extension Feature {
    /// The scopes that a path reads; `nil` when they are not known by name, so that anything may matter.
    package static func scope(of path: Path) -> ScopeSet? {
        var names = path.names
        while !names.isEmpty {
            let name = names.joined(separator: ".")
            if let index = scopes.firstIndex(where: { $0.hasSameBytes(as: name) }) { return ScopeSet(index: index) }
            names.removeLast()
        }
        return nil
    }

    /// The scopes that some paths read; `nil` when that of one is not known.
    package static func scopes(of paths: [Path]) -> ScopeSet? {
        var set: ScopeSet = []
        for path in paths {
            guard let scope = scope(of: path) else { return nil }
            set.formUnion(scope)
        }
        return set
    }
}
