import Chronicle
import Expressions

/// Selects the changes at, below or above a path that affect it.
struct ChangeFilter: Sendable {
    private let path: Path?

    init(_ path: Path?) { self.path = path }

    func narrowed(_ change: Change) -> Change {
        let place = Path.of(change)
        guard let path, change.kind == .replace, place.steps.count < path.steps.count,
            case .name(let name) = path.steps[place.steps.count]
        else { return change }
        var change = change
        change.old = change.old?.only("id", name)
        change.new = change.new?.only("id", name)
        return change
    }

    func contains(_ change: Change) -> Bool {
        guard let path else { return true }
        let place = Path.of(change)
        if path.isPrefix(of: place) { return true }
        guard place.isPrefix(of: path) else { return false }
        // A change above the path matters only if the selected part differs.
        let rest = path.steps[place.steps.count...]
        let (old, new) = change.values
        let part = { (value: Value?) in rest.reduce(value) { $0?.part($1) } }
        return part(old) != part(new)
    }
}

extension Value {
    fileprivate func only(_ names: String...) -> Value {
        guard case .record(let fields) = self else { return self }
        return .record(fields.filter { field in names.contains { $0.hasSameBytes(as: field.name) } })
    }
}

extension Change {
    /// The values before and after the change; for a set, those of its field.
    var values: (old: Value?, new: Value?) {
        guard kind == .set else { return (old, new) }
        return (Self.field(old)?.value, Self.field(new)?.value)
    }

    static func field(_ value: Value?) -> Value.Field? {
        guard case .record(let fields)? = value else { return nil }
        return fields.first
    }
}

extension Path {
    /// The path of a change: a field, a list element, or a list whose elements have no ids.
    static func of(_ change: Change) -> Path {
        var steps = change.path.split(separator: ".").map { Step.name(String($0)) }
        if change.kind == .set {
            if let field = Change.field(change.new) ?? Change.field(change.old) { steps.append(.name(field.name)) }
        } else if let id = change.id {
            steps.append(.id(id))
        }
        return Path(steps)
    }

    /// The path with current positions replaced by element ids.
    func resolved(in reader: inout some StateReader) -> Path {
        for index in steps.indices {
            guard case .position = steps[index] else { continue }
            guard case .value(let element) = Path(Array(steps[...index])).read(from: &reader) else { return self }
            guard case .int(let id)? = element.part(.name("id")) else { return self }
            var resolved = self
            resolved.steps[index] = .id(id)
            return resolved.resolved(in: &reader)
        }
        return self
    }
}
