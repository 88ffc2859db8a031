public import Chronicle
public import ChronicleStore
public import Expressions

extension History {
    /// Finds the record that last changed a value to a different one; `nil`: never (positions in the path refer to that point).
    public func blame(
        _ path: Path, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> LastWriter? {
        try await origins(of: path, at: point, max: 1, progress: progress).last
    }

    /// Finds the newest `max` records that changed a value, oldest first (positions in the path refer to that point).
    public func origins(
        of path: Path, at point: Point = .now, max: Int = HistoryLimits.answersMax,
        progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [LastWriter] {
        try await queryFromBase { (queries) async throws(StoreError) in
            let end = try self.position(point)
            let path = try await self.resolved(path, at: end, queries)
            var origins: [LastWriter] = []
            for segment in try await self.segments(through: end, queries) {
                if try await self.isUntouched(path, in: segment, queries) {
                    progress(segment.lowerBound)
                    continue
                }
                var past = try await self.past(at: segment.lowerBound, queries)
                var watch = PathWatch<App>(path, in: past.state)
                var found: [LastWriter] = []
                try await self.scan(&past, through: segment.upperBound, queries) { past, _ in
                    guard let (old, new) = watch.look(past.state) else { return }
                    found.append(LastWriter(sequence: past.sequence, path: path, old: old, new: new))
                    // Drop old entries now, so that memory stays bounded.
                    if found.count >= 2 * max { found.removeFirst(found.count - max) }
                }
                origins = Array((found + origins).suffix(max))
                progress(segment.lowerBound)
                if origins.count >= max { break }
            }
            return origins
        }
    }

    /// The path with positions replaced by element ids.
    func resolved(_ path: Path, at sequence: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> Path {
        guard path.steps.contains(where: { if case .position = $0 { true } else { false } }) else { return path }
        var reader = StateReading<App>(try await past(at: sequence, queries).state)
        return path.resolved(in: &reader)
    }

    /// The segments of history up to a point, newest first; each begins at a cached state or snapshot.
    func segments(through end: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> [ClosedRange<UInt64>] {
        let base = base.sequence
        guard end >= base else { throw .pruned(base: base) }
        let kept = end > base ? await loader.sequences(in: base + 1...end) : []
        try await queries.yieldIfNeeded()
        let ends = [base] + kept.filter { $0 < end } + [end]
        return zip(ends, ends.dropFirst()).map { $0...$1 }.reversed()
    }

    /// Finds, for each field at a path and below it, the record that last changed it, in state order; unchanged values are omitted.
    ///
    /// Elements are named by id; a list without ids is one value. Positions in the path refer to that point.
    /// - Throws: `answerTooLarge` for more than `HistoryLimits.leavesMax` values.
    public func origins(
        below path: Path?, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [LastWriter] {
        try await queryFromBase { (queries) async throws(StoreError) in
            let end = try self.position(point)
            let now = try await self.past(at: end, queries)
            var reader = StateReading<App>(now.state)
            var origins = ValueOrigins(below: path?.resolved(in: &reader))
            for part in ValueOrigins.parts(of: now.state, as: App.self) {
                origins.collect(part)
                guard origins.count <= HistoryLimits.leavesMax else { throw .answerTooLarge }
                try await queries.yieldIfNeeded()
            }
            for segment in try await self.segments(through: end, queries) where origins.hasOpen {
                if try await self.isUntouched(origins.prefix, in: segment, queries) { continue }
                var past = try await self.past(at: segment.lowerBound, queries)
                var touched: [Path: UInt64] = [:]
                var before = past.state
                try await self.scan(&past, through: segment.upperBound, queries) { past, _ in
                    for change in App.changes(from: before, to: past.state, limit: .max) ?? [] {
                        origins.touch(change, at: past.sequence, &touched)
                    }
                    before = past.state
                }
                origins.close(touched)
                progress(segment.lowerBound)
            }
            return origins.origins
        }
    }
}

public struct LastWriter: Sendable, Equatable {
    public var sequence: UInt64
    public var path: Path
    /// The value before the record; `nil`: none, or a whole list or feature.
    public var old: Value?
    public var new: Value?
}

struct PathWatch<App: Feature> {
    private enum Manner {
        /// A scope: compared without creating values, unless it holds no list.
        case scope(ScopeSet, isSmall: Bool)
        /// A path within a scope, or in an unknown one: its value is read when the scope changes.
        case value(ScopeSet?)
        /// A part that holds lists but is no scope.
        case changes(ChangeFilter)
    }

    private let path: Path
    private let manner: Manner
    private var state: App.State
    private var value: Value?

    init(_ path: Path, in state: App.State) {
        self.path = path
        self.state = state
        let names = path.names
        let scope = App.scope(of: path)
        if names.count == path.steps.count, let own = Self.exactScope(names) {
            manner = .scope(own, isSmall: names.count > 1 && !Self.holdsLists(names, state))
        } else if names.count == path.steps.count, Self.holdsLists(names, state) {
            manner = .changes(ChangeFilter(path))
        } else {
            manner = .value(scope)
        }
        if case .value = manner { value = Self.read(path, state) }
    }

    mutating func look(_ next: App.State) -> (old: Value?, new: Value?)? {
        defer { state = next }
        switch manner {
        case .scope(let scope, let isSmall):
            if App.changedScopes(from: state, to: next).isDisjoint(with: scope) { return nil }
            return isSmall ? (Self.read(path, state), Self.read(path, next)) : (nil, nil)
        case .changes(let filter):
            let changes = App.changes(from: state, to: next, limit: .max) ?? []
            return changes.contains(where: filter.contains) ? (nil, nil) : nil
        case .value(let scope):
            if let scope, App.changedScopes(from: state, to: next).isDisjoint(with: scope) { return nil }
            let old = value
            let new = Self.read(path, next)
            guard old != new else { return nil }
            value = new
            return (old, new)
        }
    }

    private static func exactScope(_ names: [String]) -> ScopeSet? {
        let name = names.joined(separator: ".")
        return App.scopes.firstIndex { $0.hasSameBytes(as: name) }.map { ScopeSet(index: $0) }
    }

    static func holdsLists(_ names: [String], _ state: App.State) -> Bool {
        App.lists(of: state).contains { $0.path.split(separator: ".").map(String.init).starts(with: names) }
    }

    private static func read(_ path: Path, _ state: App.State) -> Value? {
        var reader = StateReading<App>(state)
        switch path.read(from: &reader) {
        case .nothing: return nil
        case .value(let value): return value
        case .list(let list): return .list(list.elements(0..<list.count))
        }
    }
}

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
    typealias Part = (path: Path, make: () -> Value, isElements: Bool)

    static func parts<App: Feature>(of state: App.State, as app: App.Type) -> [Part] {
        let lists = App.lists(of: state)
        var parts: [Part] = [(Path([]), { App.summary(of: state).without(lists.map { $0.path.names }, at: []) }, false)]
        for list in lists {
            let path = Path(list.path.names.map { .name($0) })
            for start in stride(from: 0, to: list.count, by: ExpressionLimits.pageElementsMax) {
                let range = start..<min(list.count, start + ExpressionLimits.pageElementsMax)
                parts.append((path, { .list(list.elements(range)) }, true))
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
