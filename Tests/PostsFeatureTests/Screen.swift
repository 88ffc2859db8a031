import Reducing
import Testing

/// What somebody sees who only gets a state and then changes; the order of a record's fields does not matter to them.
struct Screen: Equatable {
    private(set) var content: Value

    /// Draws everything.
    init<Shown: Feature>(_ state: Shown.State, of feature: Shown.Type) {
        content = Shown.outline(of: state)
        for list in Shown.lists(of: state) {
            Self.set(list.path.names, .list(list.elements(0..<list.count)), in: &content)
        }
        content = Self.sorted(content)
    }

    /// Draws what changed.
    mutating func apply(_ change: Change) {
        if change.kind == .set {
            guard let name = (change.new ?? change.old)?.names.first else {
                Issue.record("a change of nothing")
                return
            }
            let path = change.path.names + [name]
            #expect(content.part(path) == change.old?.part([name]).map(Self.sorted))
            Self.set(path, change.new?.part([name]), in: &content)
        } else {
            guard case .list(var elements)? = content.part(change.path.names), let index = change.at else {
                Issue.record("there is no list \(change.path)")
                return
            }
            let old = change.old.map(Self.sorted)
            switch change.kind {
            case .insert: elements.insert(change.new ?? .null, at: index)
            case .remove: #expect(elements.remove(at: index) == old)
            case .move: elements.insert(elements.remove(at: change.from ?? -1), at: index)
            default:
                #expect(elements[index] == old)
                elements[index] = change.new ?? .null
            }
            Self.set(change.path.names, .list(elements), in: &content)
        }
        content = Self.sorted(content)
    }

    /// Puts a value, or nothing, where a path leads.
    private static func set(_ path: [String], _ value: Value?, in content: inout Value) {
        guard case .record(var fields) = content, let name = path.first else { return }
        let index = fields.firstIndex { $0.name.hasSameBytes(as: name) }
        if path.count > 1 {
            if let index { set(Array(path.dropFirst()), value, in: &fields[index].value) }
        } else {
            if let index { fields.remove(at: index) }
            if let value { fields.append(.init(name, value)) }
        }
        content = .record(fields)
    }

    private static func sorted(_ value: Value) -> Value {
        switch value {
        case .record(let fields):
            .record(
                fields.map { .init($0.name, sorted($0.value)) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        case .list(let elements): .list(elements.map(sorted))
        default: value
        }
    }
}

extension String {
    fileprivate var names: [String] { split(separator: ".").map(String.init) }
}

extension Value {
    fileprivate var names: [String] { if case .record(let fields) = self { fields.map(\.name) } else { [] } }

    /// What stands where a path leads; an id may have a dot in it.
    fileprivate func part(_ path: [String]) -> Value? {
        guard let name = path.first else { return self }
        guard case .record(let fields) = self else { return nil }
        return fields.first { $0.name.hasSameBytes(as: name) }?.value.part(Array(path.dropFirst()))
    }
}
