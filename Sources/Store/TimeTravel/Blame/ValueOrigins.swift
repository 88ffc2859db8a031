import Chronicle
import Expressions

/// The values of a state, each with the record that set it, if found.
struct ValueOrigins {
    private struct Leaf {
        var value: Value
        var origin: UInt64?
    }

    /// The path to search below; `nil`: everything.
    let prefix: Path?
    private var leaves: [Path: Leaf] = [:]
    private var order: [Path] = []
    private var openCount = 0

    init(below prefix: Path?) { self.prefix = prefix }

    var count: Int { order.count }
    var hasOpen: Bool { openCount > 0 }

    /// The values whose record was found, in state order.
    var origins: [LastWriter] {
        order.compactMap { path in
            guard let leaf = leaves[path], let origin = leaf.origin else { return nil }
            return LastWriter(sequence: origin, path: path, new: leaf.value)
        }
    }

    /// A path and its value: the state is split into parts, so that it is never held as one value.
    struct Part {
        var path: Path
        var make: () -> Value
        var isElements = false
    }

    static func parts<App: Feature>(of state: App.State, as app: App.Type) -> [Part] {
        let lists = App.lists(of: state)
        var parts = [Part(path: Path([]), make: { App.summary(of: state).without(lists.map { $0.path.names }, at: []) })]
        for list in lists {
            let path = Path(list.path.names.map { .name($0) })
            for start in stride(from: 0, to: list.count, by: ExpressionLimits.pageElementsMax) {
                let range = start..<min(list.count, start + ExpressionLimits.pageElementsMax)
                parts.append(Part(path: path, make: { .list(list.elements(range)) }, isElements: true))
            }
        }
        return parts
    }

    mutating func collect(_ part: Part) {
        // Skip parts that don't overlap the prefix.
        if let prefix, !part.path.isPrefix(of: prefix), !prefix.isPrefix(of: part.path) { return }
        let value = part.make()
        guard part.isElements, case .list(let elements) = value else { return add(part.path, value) }
        for element in elements {
            if let id = element.elementID { add(part.path.appending(id), element) } else { add(part.path, value) }
        }
    }

    private mutating func add(_ path: Path, _ value: Value) {
        if case .record(let fields) = value {
            for field in fields { add(path.appending(.name(field.name)), field.value) }
            return
        }
        if let prefix, !prefix.isPrefix(of: path) { return }
        // A list without ids arrives in pages and is one value.
        guard leaves[path] == nil else { return }
        leaves[path] = Leaf(value: value)
        order.append(path)
        openCount += 1
    }

    /// Marks the values that a change set.
    func touch(_ change: Change, at sequence: UInt64, _ touched: inout [Path: UInt64]) {
        guard change.kind != .move else { return }
        let (old, new) = change.values
        touch(Path.of(change), old, new, sequence, &touched)
    }

    private func touch(_ path: Path, _ old: Value?, _ new: Value?, _ sequence: UInt64, _ touched: inout [Path: UInt64]) {
        if let prefix, !prefix.isPrefix(of: path), !path.isPrefix(of: prefix) { return }
        let fields = (old?.fieldNames ?? []) + (new?.fieldNames ?? []).filter { name in old?.part(.name(name)) == nil }
        for name in fields {
            let step = Path.Step.name(name)
            let (before, after) = (old?.part(step), new?.part(step))
            if before != after { touch(path.appending(step), before, after, sequence, &touched) }
        }
        if leaves[path] != nil { touched[path] = sequence }
    }

    /// Assigns records of an earlier segment to the values that have none yet.
    mutating func close(_ touched: [Path: UInt64]) {
        for (path, sequence) in touched where leaves[path]?.origin == nil {
            leaves[path]?.origin = sequence
            openCount -= 1
        }
    }
}

extension Value {
    var elementID: Path.Step? {
        switch part(.name("id")) {
        case .int(let id)?: .id(id)
        case .text(let id)?: .name(id)
        default: nil
        }
    }

    var fieldNames: [String] {
        guard case .record(let fields) = self else { return [] }
        return fields.map(\.name)
    }

    /// The value without its lists, which are empty in a summary.
    fileprivate func without(_ lists: [[String]], at place: [String]) -> Value {
        guard case .record(let fields) = self else { return self }
        return .record(
            fields.compactMap { field in
                let place = place + [field.name]
                if lists.contains(place) { return nil }
                return Field(field.name, field.value.without(lists, at: place))
            })
    }
}

extension String {
    fileprivate var names: [String] { split(separator: ".").map(String.init) }
}
