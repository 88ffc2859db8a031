/// The view of a feature in parts: a record, and separately the lists of rows in it.
///
/// Making and comparing views costs as much as their records, plus the pages that the tables of their lists do not share. Rows are made
/// only when they are read.
public struct ViewParts: Sendable {
    /// The view, the lists in it empty.
    public private(set) var outline: Value
    public private(set) var lists: [ViewList] = []

    /// Makes the parts of a view.
    /// - Parameters:
    ///   - view: a record, in which each list of records becomes a separate list; or any other value, which is compared as a whole.
    ///   - lists: further fields, at the end of the record.
    public init(_ view: Value, lists: [ViewList] = []) {
        guard case .record(let fields) = view else {
            precondition(lists.isEmpty, "a view with lists must be a record")
            outline = view
            return
        }
        outline = .record([])
        for field in fields { append(field.name, field.value) }
        for list in lists { append(list) }
    }

    public mutating func append(_ name: String, _ value: Value) {
        // A dot in a name would change the path.
        guard case .list(let rows) = value, rows.allSatisfy({ $0.record != nil }), !name.utf8.contains(UInt8(ascii: ".")) else {
            return add(name, value)
        }
        append(ViewList(rows, at: name))
    }

    public mutating func append(_ list: ViewList) {
        add(list.path, [])
        lists.append(list)
    }

    public mutating func append(_ name: String, _ child: ViewParts) {
        add(name, child.outline)
        lists += child.lists.map { $0.under(name) }
    }

    private mutating func add(_ name: String, _ value: Value) {
        guard case .record(var fields) = outline else { preconditionFailure("a view with the field \(name) must be a record") }
        outline = .null
        fields.append(Value.Field(name, value))
        outline = .record(fields)
    }

    public var value: Value { lists.reduce(into: outline) { $0.fill($1.path.split(separator: ".")[...], with: $1.value) } }

    /// One field of the record as a view; `nil` if no field has the name.
    public func part(_ name: String) -> ViewParts? {
        guard let value = outline[name] else { return nil }
        if let list = lists.first(where: { $0.path.hasSameBytes(as: name) }) { return ViewParts(list.value) }
        var part = ViewParts(value)
        let below = lists.compactMap { $0.below(name) }
        if !below.isEmpty { (part.outline, part.lists) = (value, below) }
        return part
    }

    /// The changes since an older view, in an order in which they can be applied: lists row by row, each other field as a whole.
    ///
    /// `nil` if there are more than `limit` changes, if the view is not a record, or if it has other lists.
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

    // A record with lists is compared field by field: setting it as a whole would drop their rows.
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

    private func holdsLists(_ path: String) -> Bool { lists.contains { $0.path.hasSameBytes(as: path) || $0.below(path) != nil } }
}

extension Value {
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

/// A list of rows in a view, read page by page and compared by its source, so that it never exists as a whole as values.
public struct ViewList: Sendable {
    /// The rows; the path begins at the view.
    public private(set) var rows: ListView
    private let source: any Sendable
    // The changes since an older source, without the path of the list.
    private let difference: @Sendable (any Sendable, Int) -> [Change]?

    /// - Parameter changes: the changes between two sources, in an order in which they can be applied, without a path; `nil` if there are
    ///   more than `limit`.
    public init<Source: Sendable>(
        _ rows: ListView, of source: Source,
        changes: @escaping @Sendable (_ now: Source, _ before: Source, _ limit: Int) -> [Change]?
    ) {
        (self.rows, self.source) = (rows, source)
        difference = { before, limit in (before as? Source).flatMap { changes(source, $0, limit) } }
    }

    /// Makes a list of a few rows, which are stored, and compared by index.
    public init(_ rows: [Value], at path: String) {
        self.init(ListView(path: path, count: rows.count) { Array(rows[$0]) }, of: rows) { now, before, limit in
            Change.byPlace(from: before, to: now, limit: limit)
        }
    }

    public var path: String { rows.path }
    public var value: Value { .list(rows.elements(0..<rows.count)) }

    /// The changes since an older list; `nil` if there are more than `limit`, or the source of that list has another type.
    public func changes(from old: ViewList, limit: Int) -> [Change]? { difference(old.source, limit)?.map { $0.under(path) } }

    public func under(_ name: String) -> ViewList {
        var list = self
        list.rows = rows.under(name)
        return list
    }

    /// The same list in a record of the view; `nil` if the list is not in that record.
    func below(_ name: String) -> ViewList? {
        let prefix = name + "."
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        var list = self
        list.rows.path = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return list
    }
}

extension Change {
    /// The changes between lists whose rows have no ids: a common prefix and suffix stay, the rows between are compared by index.
    fileprivate static func byPlace(from old: [Value], to new: [Value], limit: Int) -> [Change]? {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        var end = 0
        while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let common = shorter - end
        let (leaving, coming) = (common..<old.count - end, common..<new.count - end)
        let replaced = (start..<common).filter { old[$0] != new[$0] }
        guard leaving.count + coming.count + replaced.count <= limit else { return nil }
        var changes: [Change] = []
        for index in leaving.reversed() { changes.append(Change(path: "", kind: .remove, at: index, old: old[index])) }
        for index in coming { changes.append(Change(path: "", kind: .insert, at: index, new: new[index])) }
        for index in replaced { changes.append(Change(path: "", kind: .replace, at: index, old: old[index], new: new[index])) }
        return changes
    }
}
