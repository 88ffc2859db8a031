import Chronicle

/// Which effects a test must assert.
public struct Exhaustivity: Sendable, Equatable {
    /// The parts that must be asserted completely; `nil`: all.
    let parts: [String]?

    /// Everything must be asserted: each change of the state, each logged action, each command and its end.
    public static let on = Exhaustivity(parts: nil)
    /// Only assertions that the test makes are checked; for long tests about one part.
    public static let off = Exhaustivity(parts: [])

    /// Some parts must be asserted completely; for a feature among its siblings.
    ///
    /// A part is a scope of the feature, or a field below one: `todos`, `todos.items`. It includes the state changes there, the actions of
    /// its scopes, and the commands that begin with its feature's name. Closures that describe a change assign plain values outside these
    /// parts, as with `off`.
    public static func off(except parts: String...) -> Exhaustivity { Exhaustivity(parts: parts) }
}

extension Exhaustivity {
    var isOff: Bool { parts?.isEmpty ?? false }

    func includes(_ command: some NamedCommand) -> Bool {
        guard let parts else { return true }
        let feature = command.name.prefix { $0 != "." }
        return parts.contains { $0.prefix { $0 != "." } == feature }
    }

    /// Whether an action must be asserted, given its scopes.
    func includes(scopes: ScopeSet, of names: [String]) -> Bool {
        guard let parts else { return true }
        return names.enumerated().contains { index, name in
            scopes.contains(ScopeSet(index: index)) && parts.contains { Self.overlap($0, name) }
        }
    }

    /// Splits changes into those that must be asserted and the others.
    func split(_ changes: [Change]) -> (said: [Change], free: [Change]) {
        guard let parts else { return (changes, []) }
        let isSaid = { (change: Change) in change.places.contains { place in parts.contains { Self.covers($0, place) } } }
        return (changes.filter(isSaid), changes.filter { !isSaid($0) })
    }

    /// The parts that no scope contains, because they are misspelt.
    func unknown(to scopes: [String]) -> [String] { (parts ?? []).filter { part in !scopes.contains { Self.covers($0, part) } } }

    static func covers(_ part: String, _ place: String) -> Bool { place == part || place.hasPrefix(part + ".") }
    private static func overlap(_ left: String, _ right: String) -> Bool { covers(left, right) || covers(right, left) }
}

extension Change {
    var places: [String] {
        guard kind == .set, case .record(let fields)? = new ?? old else { return [path] }
        return fields.map { path.isEmpty ? $0.name : path + "." + $0.name }
    }
}
