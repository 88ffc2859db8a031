import Reducing

/// How much of what happened a test must say.
public struct Exhaustivity: Sendable, Equatable {
    /// The parts of which everything must be said; `nil`: all there are.
    let parts: [String]?

    /// Everything: each change of the state, each logged action, each command and its end.
    public static let on = Exhaustivity(parts: nil)
    /// Only what the test says is checked; for long stories in which one part matters.
    public static let off = Exhaustivity(parts: [])

    /// Everything of some parts, and of all others only what the test says; for a feature among its siblings.
    ///
    /// A part is a scope of the feature, or a field below one: `todos`, `todos.items`. To a part belong the changes of the state there, the
    /// actions of its scopes, and the commands that begin with its feature's name. Closures that say a change assign plain values
    /// outside these parts, as with `off`.
    public static func off(except parts: String...) -> Exhaustivity { Exhaustivity(parts: parts) }
}

extension Exhaustivity {
    /// Whether nothing need be said.
    var isOff: Bool { parts?.isEmpty ?? false }

    /// Whether everything about a command must be said.
    func includes(_ command: some NamedCommand) -> Bool {
        guard let parts else { return true }
        let feature = command.name.prefix { $0 != "." }
        return parts.contains { $0.prefix { $0 != "." } == feature }
    }

    /// Whether everything about an action must be said, given the scopes that it belongs to.
    func includes(scopes: ScopeSet, of names: [String]) -> Bool {
        guard let parts else { return true }
        return names.enumerated().contains { index, name in
            scopes.contains(ScopeSet(index: index)) && parts.contains { Self.overlap($0, name) }
        }
    }

    /// What of some changes lies in the parts of which everything must be said, or elsewhere.
    func split(_ changes: [Change]) -> (said: [Change], free: [Change]) {
        guard let parts else { return (changes, []) }
        let isSaid = { (change: Change) in change.places.contains { place in parts.contains { Self.covers($0, place) } } }
        return (changes.filter(isSaid), changes.filter { !isSaid($0) })
    }

    /// The parts that no scope leads to, because they are misspelt.
    func unknown(to scopes: [String]) -> [String] {
        (parts ?? []).filter { part in !scopes.contains { Self.covers($0, part) } }
    }

    /// Whether a part is a place, or holds it.
    private static func covers(_ part: String, _ place: String) -> Bool { place == part || place.hasPrefix(part + ".") }
    private static func overlap(_ left: String, _ right: String) -> Bool { covers(left, right) || covers(right, left) }
}

extension Change {
    /// The fields that differ, or the list.
    fileprivate var places: [String] {
        guard kind == .set, case .record(let fields)? = new ?? old else { return [path] }
        return fields.map { path.isEmpty ? $0.name : path + "." + $0.name }
    }
}
