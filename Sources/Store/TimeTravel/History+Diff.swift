public import Chronicle
public import ChronicleStore
public import Expressions
import Synchronization

public struct Differences: Sendable {
    public var from: UInt64
    public var to: UInt64
    /// The changes from one state to the other, in an order in which they can be applied.
    public var changes: [Change]
}

extension History {
    /// Compares the states at two points, optionally only at a path and below it.
    ///
    /// A position in the path means the element at `to`. Moves of a single element are omitted if there are more than
    /// `HistoryLimits.countedChangesMax` changes.
    /// - Throws: `answerTooLarge` for more than `limit` changes.
    public func diff(
        _ from: Point, _ to: Point, at path: Path? = nil, limit: Int = HistoryLimits.changesMax
    ) async throws(StoreError) -> Differences {
        try await query { (queries) async throws(StoreError) in
            let (from, to) = (try self.position(from), try self.position(to))
            let (old, new) = try await self.pair(from, to, queries)
            try await queries.yieldIfNeeded()
            guard let path else {
                guard let changes = App.changes(from: old.state, to: new.state, limit: limit) else { throw .answerTooLarge }
                return Differences(from: from, to: to, changes: changes)
            }
            var reader = StateReading<App>(new.state)
            let place = path.resolved(in: &reader)
            let changes = try await self.changes(from: old.state, to: new.state, at: place, limit: limit, queries)
            return Differences(from: from, to: to, changes: changes)
        }
    }

    private func changes(
        from old: App.State, to new: App.State, at path: Path, limit: Int, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [Change] {
        let (filter, names) = (ChangeFilter(path), path.names)
        // Close states have few changes, so compute them all; otherwise only those at the path.
        var changes = App.changes(from: old, to: new, limit: HistoryLimits.countedChangesMax, within: names)
        if changes == nil { changes = try await partChanges(from: old, to: new, at: path, queries) }
        if changes == nil {
            // A list may change completely; outside of lists there are few fields.
            let workMax = PathWatch<App>.holdsLists(names, new) ? limit + min(limit, HistoryLimits.countedChangesMax) : .max
            changes = App.changes(from: old, to: new, limit: workMax, within: names)
        }
        let wanted = changes?.filter(filter.contains)
        guard let wanted, wanted.count <= limit else { throw .answerTooLarge }
        return wanted.map(filter.narrowed)
    }

    /// Compares two states at a small part of them, without the rest; `nil` for a path that contains lists, or in a part without lists,
    /// whose diff is small anyway.
    private func partChanges(
        from old: App.State, to new: App.State, at path: Path, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [Change]? {
        let lists = App.lists(of: new).map { $0.path.split(separator: ".").map(String.init) }
        let names = path.names
        let leads = { (list: [String]) in
            list.count <= names.count && zip(list, names).allSatisfy { $0.hasSameBytes(as: $1) }
        }
        if let list = lists.first(where: { path.steps.count > $0.count && leads($0) }) {
            guard case .id(let id) = path.steps[list.count] else { return nil }
            let before = try await element(id, of: list, in: old, queries)
            let after = try await element(id, of: list, in: new, queries)
            if before?.value == after?.value { return [] }
            let kind: Change.Kind = before == nil ? .insert : after == nil ? .remove : .replace
            return [
                Change(
                    path: list.joined(separator: "."), kind: kind, id: id, at: (after ?? before)?.index, old: before?.value,
                    new: after?.value)
            ]
        }
        if PathWatch<App>.holdsLists(names, new) { return nil }
        let depth = lists.map { list in zip(list, names).prefix { $0.hasSameBytes(as: $1) }.count }.max() ?? 0
        guard depth > 0, depth < names.count else { return nil }
        let field = { (state: App.State) -> Value? in
            var reader = StateReading<App>(state)
            return reader.value(at: Array(names.prefix(depth + 1))).map { .record([Value.Field(names[depth], $0)]) }
        }
        let (before, after) = (field(old), field(new))
        if before == after { return [] }
        return [Change(path: names.prefix(depth).joined(separator: "."), kind: .set, old: before, new: after)]
    }

    private func element(
        _ id: Int64, of list: [String], in state: App.State, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> (value: Value, index: Int)? {
        var reader = StateReading<App>(state)
        guard let view = reader.list(along: list)?.view else { return nil }
        if let find = view.find, find(id) == nil { return nil }
        for start in stride(from: 0, to: view.count, by: ExpressionLimits.pageElementsMax) {
            let page = view.elements(start..<min(view.count, start + ExpressionLimits.pageElementsMax))
            if let index = page.firstIndex(where: { $0.part(.name("id")) == .int(id) }) { return (page[index], start + index) }
            try await queries.yieldIfNeeded()
        }
        return nil
    }

    /// The states at two points; nearby states share their unchanged parts, so comparing them is fast.
    func pair(
        _ from: UInt64, _ to: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> (old: PastState<App>, new: PastState<App>) {
        var earlier = try await past(at: min(from, to), queries)
        keep(&earlier)
        var later = earlier
        if max(from, to) - earlier.sequence > HistoryLimits.shortFoldRecords {
            later = try await past(at: max(from, to), queries)
        } else {
            try await fold(&later, through: max(from, to), queries)
        }
        return from <= to ? (earlier, later) : (later, earlier)
    }

    /// The changes of one record; `nil` for more than `HistoryLimits.changesMax`.
    func changes(by sequence: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> [Change]? {
        guard sequence > base.sequence else { return [] }
        let (old, new) = try await pair(sequence - 1, sequence, queries)
        return App.changes(from: old.state, to: new.state, limit: HistoryLimits.changesMax)
    }
}

/// One operation of a JSON patch (RFC 6902) on the JSON form of a state.
public struct PatchOperation: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case add
        case remove
        case replace
        case move
    }

    public var kind: Kind
    /// The target, as a JSON pointer (RFC 6901): `/todos/items/3/title`.
    public var path: String
    public var from: String?
    public var new: Value?

    public init(_ kind: Kind, _ path: String, from: String? = nil, new: Value? = nil) {
        (self.kind, self.path, self.from, self.new) = (kind, path, from, new)
    }

    /// The JSON form of the operation: `{op, path, from, value}`.
    public var value: Value {
        var fields: [Value.Field] = [.init("op", .text(kind.rawValue)), .init("path", .text(path))]
        if let from { fields.append(.init("from", .text(from))) }
        if let new { fields.append(.init("value", new)) }
        return .record(fields)
    }

    /// Converts a diff to patch operations, which turn the JSON form of the first state into that of the second.
    public static func operations(of changes: [Change]) -> [PatchOperation] {
        changes.flatMap { change in
            let list = pointer(change.path.split(separator: "."))
            let place = change.at.map { "\(list)/\($0)" } ?? list
            switch change.kind {
            case .insert: return [PatchOperation(.add, place, new: change.new ?? .null)]
            case .remove: return [PatchOperation(.remove, place)]
            case .move: return [PatchOperation(.move, place, from: change.from.map { "\(list)/\($0)" } ?? list)]
            case .replace: return differences(place, change.old, change.new)
            case .set:
                guard let name = (Change.field(change.new) ?? Change.field(change.old))?.name else { return [] }
                let (old, new) = change.values
                return field("\(list)/\(escaped(name))", old, new)
            }
        }
    }

    private static func differences(_ path: String, _ old: Value?, _ new: Value?) -> [PatchOperation] {
        guard case .record(let before)? = old, case .record(let after)? = new else {
            return [PatchOperation(.replace, path, new: new ?? .null)]
        }
        var operations: [PatchOperation] = []
        for field in before where new?[field.name] == nil {
            operations.append(PatchOperation(.remove, "\(path)/\(escaped(field.name))"))
        }
        for field in after where old?[field.name] != field.value {
            operations += Self.field("\(path)/\(escaped(field.name))", old?[field.name], field.value)
        }
        return operations
    }

    private static func field(_ path: String, _ old: Value?, _ new: Value?) -> [PatchOperation] {
        switch (old, new) {
        case (nil, let new?): [PatchOperation(.add, path, new: new)]
        case (_?, nil): [PatchOperation(.remove, path)]
        case (_?, let new?): [PatchOperation(.replace, path, new: new)]
        case (nil, nil): []
        }
    }

    private static func pointer(_ names: [Substring]) -> String { names.reduce("") { $0 + "/" + escaped(String($1)) } }

    // RFC 6901, section 3.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

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
