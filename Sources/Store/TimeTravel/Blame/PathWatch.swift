import Chronicle
import Expressions

/// Detects changes of one path from record to record.
struct PathWatch<App: Feature> {
    private enum Manner {
        /// A scope: compared without creating values, unless it holds no list.
        case scope(ScopeSet, isSmall: Bool)
        /// A path within a scope, or in an unknown one: its value is read when the scope changes.
        case value(ScopeSet?)
        /// A part that holds lists but is no scope.
        case changes(ChangeFilter)
    }

    private let path: Path
    private let manner: Manner
    private var state: App.State
    private var value: Value?

    init(_ path: Path, in state: App.State) {
        self.path = path
        self.state = state
        let names = path.names
        let scope = App.scope(of: path)
        if names.count == path.steps.count, let own = Self.exactScope(names) {
            manner = .scope(own, isSmall: names.count > 1 && !Self.holdsLists(names, state))
        } else if names.count == path.steps.count, Self.holdsLists(names, state) {
            manner = .changes(ChangeFilter(path))
        } else {
            manner = .value(scope)
        }
        if case .value = manner { value = Self.read(path, state) }
    }

    mutating func look(_ next: App.State) -> (old: Value?, new: Value?)? {
        defer { state = next }
        switch manner {
        case .scope(let scope, let isSmall):
            if App.changedScopes(from: state, to: next).isDisjoint(with: scope) { return nil }
            return isSmall ? (Self.read(path, state), Self.read(path, next)) : (nil, nil)
        case .changes(let filter):
            let changes = App.changes(from: state, to: next, limit: .max) ?? []
            return changes.contains(where: filter.contains) ? (nil, nil) : nil
        case .value(let scope):
            if let scope, App.changedScopes(from: state, to: next).isDisjoint(with: scope) { return nil }
            let old = value
            let new = Self.read(path, next)
            guard old != new else { return nil }
            value = new
            return (old, new)
        }
    }

    private static func exactScope(_ names: [String]) -> ScopeSet? {
        let name = names.joined(separator: ".")
        return App.scopes.firstIndex { $0.hasSameBytes(as: name) }.map { ScopeSet(index: $0) }
    }

    static func holdsLists(_ names: [String], _ state: App.State) -> Bool {
        App.lists(of: state).contains { $0.path.split(separator: ".").map(String.init).starts(with: names) }
    }

    private static func read(_ path: Path, _ state: App.State) -> Value? {
        var reader = StateReading<App>(state)
        switch path.read(from: &reader) {
        case .nothing: return nil
        case .value(let value): return value
        case .list(let list): return .list(list.elements(0..<list.count))
        }
    }
}
