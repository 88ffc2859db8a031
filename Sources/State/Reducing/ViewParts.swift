/// What a feature shows, in parts: a record, and beside it the lists of rows that stand in it.
///
/// To make one, and to compare two of them, costs as much as the record, and of lists that are made from tables as the pages that the tables
/// do not share: no row is made that nobody reads.
public struct ViewParts: Sendable {
    /// The view, the lists in it empty.
    public private(set) var outline: Value
    /// Those lists, in the order of their fields.
    public private(set) var lists: [ViewList] = []

    /// Makes the parts of a view.
    ///
    /// - Parameters:
    ///   - view: a record, of which each field that is a list of records becomes a list of its own; or any other value, which is compared
    ///     as a whole.
    ///   - lists: further fields of the record, behind its own.
    public init(_ view: Value, lists: [ViewList] = []) {
        guard case .record(let fields) = view else {
            precondition(lists.isEmpty, "lists stand in a record, and the view is none")
            outline = view
            return
        }
        outline = .record([])
        for field in fields { append(field.name, field.value) }
        for list in lists { append(list) }
    }

    /// Adds a field to the record.
    public mutating func append(_ name: String, _ value: Value) {
        // A point would make its path another one.
        guard case .list(let rows) = value, rows.allSatisfy({ $0.record != nil }), !name.utf8.contains(UInt8(ascii: ".")) else {
            return add(name, value)
        }
        append(ViewList(rows, at: name))
    }

    /// Adds a field that is a list, whose path is its name.
    public mutating func append(_ list: ViewList) {
        add(list.path, [])
        lists.append(list)
    }

    /// Adds a field that is what a child shows.
    public mutating func append(_ name: String, _ child: ViewParts) {
        add(name, child.outline)
        lists += child.lists.map { $0.under(name) }
    }

    private mutating func add(_ name: String, _ value: Value) {
        guard case .record(var fields) = outline else { preconditionFailure("the view is no record, and has no \(name)") }
        outline = .null
        fields.append(Value.Field(name, value))
        outline = .record(fields)
    }

    public var value: Value {
        lists.reduce(into: outline) { $0.fill($1.path.split(separator: ".")[...], with: $1.value) }
    }

    /// What one field of the record shows; `nil` if it has none of that name.
    public func part(_ name: String) -> ViewParts? {
        guard let value = outline[name] else { return nil }
        if let list = lists.first(where: { $0.path.hasSameBytes(as: name) }) { return ViewParts(list.value) }
        var part = ViewParts(value)
        let below = lists.compactMap { $0.below(name) }
        if !below.isEmpty { (part.outline, part.lists) = (value, below) }
        return part
    }
}

extension ViewParts {
    /// What changed since an older view, in an order in which it can be applied: lists row by row, each other field as a whole.
    ///
    /// `nil` when that is more than `limit` changes, or can't be told in changes: of what is no record, or has got other lists.
    public func changes(from old: ViewParts, limit: Int) -> [Change]? {
        guard case .record(let fields) = outline, case .record(let before) = old.outline else {
            return outline == old.outline ? [] : nil
        }
        guard lists.count == old.lists.count, zip(lists, old.lists).allSatisfy({ $0.path.hasSameBytes(as: $1.path) }) else {
            return nil
        }
        var changes: [Change] = []
        for (list, before) in zip(lists, old.lists) {
            guard let changed = list.changes(from: before, limit: limit - changes.count) else { return nil }
            changes += changed
        }
        guard note(fields, before, at: "", &changes), changes.count <= limit else { return nil }
        return changes
    }

    // What holds lists is looked into, for set as a whole it would lose their rows.
    private func note(_ now: [Value.Field], _ before: [Value.Field], at path: String, _ changes: inout [Change]) -> Bool {
        let record = { (field: Value.Field) in Value.record([field]) }
        for (index, field) in now.enumerated() {
            let isInPlace = index < before.count && before[index].name.hasSameBytes(as: field.name)
            let old = isInPlace ? before[index].value : before[field.name]
            if field.value == old { continue }
            let inner = path.isEmpty ? field.name : path + "." + field.name
            if holdsLists(inner) {
                guard case .record(let fields) = field.value, case .record(let oldFields)? = old,
                    note(fields, oldFields, at: inner, &changes)
                else { return false }
                continue
            }
            changes.append(
                Change(path: path, kind: .set, old: old.map { record(Value.Field(field.name, $0)) }, new: record(field)))
        }
        for (index, field) in before.enumerated() {
            let isInPlace = index < now.count && now[index].name.hasSameBytes(as: field.name)
            if isInPlace || now[field.name] != nil { continue }
            changes.append(Change(path: path, kind: .set, old: record(field)))
        }
        return true
    }

    private func holdsLists(_ path: String) -> Bool {
        lists.contains { $0.path.hasSameBytes(as: path) || $0.below(path) != nil }
    }
}

extension Value {
    /// Puts a list where some names lead.
    fileprivate mutating func fill(_ names: ArraySlice<Substring>, with list: Value) {
        guard let name = names.first.map(String.init) else {
            self = list
            return
        }
        guard case .record(var fields) = self, let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
            return
        }
        self = .null
        fields[index].value.fill(names.dropFirst(), with: list)
        self = .record(fields)
    }
}
