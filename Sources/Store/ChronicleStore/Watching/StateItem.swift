public import Chronicle

/// One item of a subscription to the state or to a view: a page of the current value, or the changes since the previous item.
public struct StateItem<App: Feature>: Sendable {
    public enum Content: Sendable {
        /// A page of the whole value. The first page invalidates what the subscriber had before.
        case page(Value, isLast: Bool)
        /// The changes since the previous item, to be applied in order.
        case changes([Change])
    }

    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of the state after this item.
    public var sequence: UInt64
    /// The time of that record.
    public var time: Int64
    public var content: Content
    /// At most the last `Limits.itemRecordsMax` records of the scope since the previous item; empty for a view.
    public var records: [LoggedRecord<App>]
    /// The number of records since the previous item that are not in `records`; 0 for a view.
    public var skipped: UInt64
    /// Whether the item is from the past, in a subscription that began there and continues into the present.
    public var isPast = false

    public init(
        epoch: UInt64, sequence: UInt64, time: Int64, content: Content, records: [LoggedRecord<App>], skipped: UInt64,
        isPast: Bool = false
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
        self.content = content
        self.records = records
        self.skipped = skipped
        self.isPast = isPast
    }
}

extension StateItem {
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
                    content: .page(page, isLast: !pages.hasMore), records: [], skipped: 0, isPast: isPast))
        }
    }

    /// The changes between two states; `nil` if they exceed one item or can't be expressed as changes.
    public static func changes(from before: App.State, to now: App.State, of watched: Watched) -> [Change]? {
        let found =
            switch watched {
            case .state(let scope): changes(from: before, to: now, scope: scope)
            case .view(let name, _): viewChanges(from: before, to: now, name)
            }
        guard let found, found.isBounded else { return nil }
        return found
    }

    private static func changes(from before: App.State, to now: App.State, scope: Int?) -> [Change]? {
        let filter = ScopeFilter(scope.map { App.scopes[$0] })
        return App.changes(from: before, to: now, limit: Limits.changesMax)?.filter(filter.contains)
    }

    private static func viewChanges(from before: App.State, to now: App.State, _ name: String) -> [Change]? {
        let (old, new) = (App.viewParts(of: before, child: name), App.viewParts(of: now, child: name))
        guard let old, let new else { return old == nil && new == nil ? [] : nil }
        return new.changes(from: old, limit: Limits.changesMax)
    }
}
