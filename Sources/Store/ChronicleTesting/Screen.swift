public import Chronicle

/// A client's copy of a state that is updated only by changes; ignores the order of a record's fields.
public struct Screen: Sendable, Equatable {
    private var content: Value

    public init<Shown: Feature>(_ state: Shown.State, of feature: Shown.Type) {
        content = Shown.summary(of: state)
        for list in Shown.lists(of: state) { Self.set(list.path.names, .list(list.elements(0..<list.count)), in: &content) }
        content = Self.sorted(content)
    }

    /// Copies a value that a daemon sent.
    public init(_ content: Value) { self.content = Self.sorted(content) }

    /// Applies a change in its wire format; see the other `apply`.
    public mutating func apply(_ change: Value) -> Bool {
        guard let path = change["path"]?.text, let kind = change["kind"]?.text.flatMap({ Change.Kind(rawValue: $0) }) else {
            return false
        }
        return apply(
            Change(
                path: path, kind: kind, id: change["id"]?.int, at: change["at"]?.int.map { Int($0) },
                from: change["from"]?.int.map { Int($0) }, old: change["old"], new: change["new"]))
    }

    /// Applies a change; returns false and changes nothing if the copy differs from the change's old value.
    public mutating func apply(_ change: Change) -> Bool {
        var changed = content
        guard change.kind == .set ? Self.apply(field: change, to: &changed) : Self.apply(row: change, to: &changed) else {
            return false
        }
        content = Self.sorted(changed)
        return true
    }

    private static func apply(field change: Change, to content: inout Value) -> Bool {
        guard let name = (change.new ?? change.old)?.names.first else { return false }
        let path = change.path.names + [name]
        guard content.part(path) == change.old?.part([name]).map(sorted) else { return false }
        set(path, change.new?.part([name]), in: &content)
        return true
    }

    private static func apply(row change: Change, to content: inout Value) -> Bool {
        guard case .list(var rows)? = content.part(change.path.names), let at = change.at else { return false }
        switch (change.kind, change.new) {
        case (.insert, let new?) where (0...rows.count).contains(at):
            rows.insert(new, at: at)
        case (.replace, let new?) where rows.indices.contains(at) && rows[at] == change.old.map(sorted):
            rows[at] = new
        case (.remove, nil) where rows.indices.contains(at) && rows[at] == change.old.map(sorted):
            rows.remove(at: at)
        case (.move, nil):
            guard let from = change.from, rows.indices.contains(from), rows.indices.contains(at) else { return false }
            rows.insert(rows.remove(at: from), at: at)
        default:
            return false
        }
        set(change.path.names, .list(rows), in: &content)
        return true
    }

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

    fileprivate func part(_ path: [String]) -> Value? {
        guard let name = path.first else { return self }
        guard case .record(let fields) = self else { return nil }
        return fields.first { $0.name.hasSameBytes(as: name) }?.value.part(Array(path.dropFirst()))
    }
}
