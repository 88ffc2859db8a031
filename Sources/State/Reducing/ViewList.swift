/// A list of rows in a view, read page by page and compared by what it is made from, so that nobody ever holds all of it as values.
public struct ViewList: Sendable {
    /// The rows; its path leads from the view to them.
    public private(set) var rows: ListView
    private let source: any Sendable
    // What changed since an older source, without the path of the list.
    private let difference: @Sendable (any Sendable, Int) -> [Change]?

    /// Makes a list of what is compared with an older one by its source.
    ///
    /// - Parameter changes: what changed between two sources, the newer first, in an order in which it can be applied; `nil` when that is
    ///   more than so many changes. Their path is set here.
    public init<Source: Sendable>(
        _ rows: ListView, of source: Source,
        changes: @escaping @Sendable (_ now: Source, _ before: Source, _ limit: Int) -> [Change]?
    ) {
        self.rows = rows
        self.source = source
        difference = { before, limit in (before as? Source).flatMap { changes(source, $0, limit) } }
    }

    /// Makes a list of a few rows, which are held, and compared by their places.
    public init(_ rows: [Value], at path: String) {
        self.init(ListView(path: path, count: rows.count) { Array(rows[$0]) }, of: rows) { now, before, limit in
            Change.byPlace(from: before, to: now, limit: limit)
        }
    }

    public var path: String { rows.path }

    /// All rows.
    public var value: Value { .list(rows.elements(0..<rows.count)) }

    /// What changed since an older list in the same place; `nil` when that is more than `limit` changes, or that list is of another kind.
    public func changes(from old: ViewList, limit: Int) -> [Change]? {
        difference(old.source, limit)?.map { $0.under(path) }
    }

    /// The same list, seen from one level further up.
    public func under(_ name: String) -> ViewList {
        var list = self
        list.rows = rows.under(name)
        return list
    }

    /// The same list, seen from a record that it stands in; `nil` if it stands elsewhere.
    func below(_ name: String) -> ViewList? {
        let prefix = name + "."
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        var list = self
        list.rows.path = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return list
    }
}

extension Change {
    /// What leads from one list to another whose rows have no ids: what both begin and end with stays, what lies between is told by place.
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
        for index in replaced {
            changes.append(Change(path: "", kind: .replace, at: index, old: old[index], new: new[index]))
        }
        return changes
    }
}
