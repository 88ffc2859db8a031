public import Chronicle

/// One item of a subscription to the state or to a view: a page of the current value, or the changes since the previous item.
public struct StateItem<App: Feature>: Sendable {
    public enum Content: Sendable {
        /// A page of the whole value. The first page invalidates what the subscriber had before.
        case page(Value, isLast: Bool)
        /// The changes since the previous item, to be applied in order.
        case changes([Change])
    }

    public var epoch: UInt64
    /// The sequence of the state after this item.
    public var sequence: UInt64
    public var time: Int64
    public var content: Content
    /// At most the last `Limits.itemRecordsMax` records of the scope since the previous item; empty for a view.
    public var records: [LoggedRecord<App>]
    /// The number of records since the previous item that are not in `records`; 0 for a view.
    public var skipped: UInt64
    /// Whether the item is from the past, in a subscription that began there and continues into the present.
    public var isPast = false

    public init(
        epoch: UInt64, sequence: UInt64, time: Int64, content: Content, records: [LoggedRecord<App>] = [],
        skipped: UInt64 = 0, isPast: Bool = false
    ) {
        (self.epoch, self.sequence, self.time, self.content, self.records) = (epoch, sequence, time, content, records)
        (self.skipped, self.isPast) = (skipped, isPast)
    }

    /// Delivers a watched state page by page.
    /// - Parameter deliver: takes an item, and returns when there is room for the next one.
    /// - Throws: `.stopping` when the task is cancelled, and the errors of `deliver`.
    public static func deliverPages(
        of present: CommittedState<App.State>, _ watched: Watched, isPast: Bool = false, on queries: QueryThread,
        _ deliver: (StateItem) async throws -> Void
    ) async throws {
        var pages = try await queries.perform { _ throws(StoreError) in StatePages<App>(of: present.state, watched) }
        while true {
            let (page, rest) = try await queries.perform { [pages] _ throws(StoreError) in
                var rest = pages
                return (rest.next(), rest)
            }
            pages = rest
            guard let page else { return }
            try await deliver(
                StateItem(
                    epoch: present.epoch, sequence: present.sequence, time: present.time,
                    content: .page(page, isLast: !pages.hasMore), isPast: isPast))
        }
    }

    /// The changes between two states; `nil` if they exceed one item or can't be expressed as changes.
    public static func changes(from before: App.State, to now: App.State, of watched: Watched) -> [Change]? {
        let found: [Change]?
        switch watched {
        case .state(let scope):
            let filter = ScopeFilter(scope.map { App.scopes[$0] })
            found = App.changes(from: before, to: now, limit: Limits.changesMax)?.filter(filter.contains)
        case .view(let name, _):
            let (old, new) = (App.viewParts(of: before, child: name), App.viewParts(of: now, child: name))
            guard let old, let new else { return old == nil && new == nil ? [] : nil }
            found = new.changes(from: old, limit: Limits.changesMax)
        }
        guard let found, found.isBounded else { return nil }
        return found
    }
}

/// A state or a view in pages: first everything but list elements, then these, page by page, all from one sequence.
public struct StatePages<App: Feature>: Sendable {
    private let summary: Value
    private let lists: [ListView]
    private var list = 0
    private var element = 0
    private var begun = false

    public init(of state: App.State, scope: Int?) {
        let filter = ScopeFilter(scope.map { App.scopes[$0] })
        summary = filter.pick(from: App.summary(of: state))
        lists = App.lists(of: state).filter { filter.contains($0) && $0.count > 0 }
    }

    public init(of state: App.State, _ watched: Watched) {
        switch watched {
        case .state(let scope): self.init(of: state, scope: scope)
        case .view(let name, _): self.init(App.viewParts(of: state, child: name) ?? ViewParts(.null))
        }
    }

    public init(_ view: ViewParts) {
        summary = view.outline
        lists = view.lists.map(\.rows).filter { $0.count > 0 }
    }

    /// - Parameter elementsMax: maximum number of list elements.
    public mutating func next(elementsMax: Int = Limits.pageRecordsMax) -> Value? {
        guard begun else {
            begun = true
            return summary
        }
        guard list < lists.count else { return nil }
        let current = lists[list]
        var page = ListPage(elementsMax: elementsMax)
        filling: while element < current.count, !page.isFull {
            for value in current.elements(element..<min(element + Limits.pageRecordsMax, current.count)) {
                guard page.take(value) else { break filling }
                element += 1
            }
        }
        if element == current.count {
            list += 1
            element = 0
        }
        return current.placed(page.elements)
    }

    public var hasMore: Bool { !begun || list < lists.count }
}

/// A page of list elements of a state: limited by count and by `Limits.statePageBytesMax`, but at least one element.
public struct ListPage: Sendable {
    public private(set) var elements: [Value] = []
    private let elementsMax: Int
    private var bytes = 0

    public init(elementsMax: Int) { self.elementsMax = elementsMax }

    /// Whether the page accepts no further element of any size.
    public var isFull: Bool { elements.count >= elementsMax }

    public mutating func take(_ element: Value) -> Bool {
        let sum = bytes + element.approximateBytes
        guard !isFull, elements.isEmpty || sum <= Limits.statePageBytesMax else { return false }
        elements.append(element)
        bytes = sum
        return true
    }
}

/// Selects the part of a root feature's value that belongs to one scope, such as `todos` or `todos.items`.
struct ScopeFilter: Sendable {
    private let parts: [Substring]

    init(_ name: String?) { parts = name.map { $0.split(separator: ".") } ?? [] }

    func pick(from summary: Value) -> Value { pick(parts[...], from: summary) }

    private func pick(_ rest: ArraySlice<Substring>, from value: Value) -> Value {
        guard let name = rest.first, case .record(let fields) = value else { return value }
        return .record(
            fields.filter { $0.name.hasSameBytes(as: String(name)) }.map {
                Value.Field($0.name, pick(rest.dropFirst(), from: $0.value))
            })
    }

    func contains(_ list: ListView) -> Bool { list.path.split(separator: ".").starts(with: parts) }

    func contains(_ change: Change) -> Bool {
        var path = change.path.split(separator: ".")
        if change.kind == .set, case .record(let fields)? = change.new ?? change.old, let field = fields.first {
            path.append(Substring(field.name))
        }
        return path.starts(with: parts)
    }
}

extension ListView {
    /// Elements of the list in their place from the root: `{"todos": {"items": [...]}}`.
    public func placed(_ elements: [Value]) -> Value {
        path.split(separator: ".").reversed().reduce(Value.list(elements)) { inner, name in
            .record([Value.Field(String(name), inner)])
        }
    }
}

extension Value {
    /// Approximate bytes as JSON; numbers count slightly more.
    public var approximateBytes: Int {
        switch self {
        case .null, .bool: return 5
        case .int(let number): return JSON.bytesMax(of: number)
        case .double: return 24
        case .text(let text): return JSON.byteCount(of: text)
        case .list(let elements):
            // A span borrows the elements: a copy of each would be retained and released.
            let span = elements.span
            var bytes = 2 + span.count
            for index in span.indices { bytes += span[index].approximateBytes }
            return bytes
        case .record(let fields):
            let span = fields.span
            var bytes = 2 + 2 * span.count
            for index in span.indices { bytes += JSON.byteCount(of: span[index].name) + span[index].value.approximateBytes }
            return bytes
        }
    }
}

extension Change {
    public var approximateBytes: Int { 64 + path.utf8.count + (old?.approximateBytes ?? 0) + (new?.approximateBytes ?? 0) }
}

extension [Change] {
    var isBounded: Bool {
        var bytes = 0
        return allSatisfy { change in
            bytes += change.approximateBytes
            return bytes <= Limits.changesBytesMax
        }
    }
}
