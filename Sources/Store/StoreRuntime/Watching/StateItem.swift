public import Reducing

/// One item of a state subscription: a piece of the state as it is now, or what has changed since the item before.
public struct StateItem<App: Feature>: Sendable {
    /// What it brings.
    public enum Content: Sendable {
        /// A piece of the whole state. What the subscriber had before the first piece of it is void.
        case page(Value, isLast: Bool)
        /// The changes since the item before, to be applied in order.
        case changes([Change])
    }

    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of which the state now is.
    public var sequence: UInt64
    /// The time of that record.
    public var time: Int64
    /// What it brings.
    public var content: Content
    /// At most the last `Limits.itemRecordsMax` records since the item before, of the scope.
    public var records: [LoggedRecord<App>]
    /// How many records since the item before are not among `records`.
    public var skipped: UInt64
    /// Whether it is told of the past, where a subscription begins that goes on into the present.
    public var isPast = false

    /// Makes one.
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
    /// Delivers a state, or a scope of it, piece by piece.
    ///
    /// - Parameter deliver: takes an item, and returns when there is room for the next one.
    /// - Throws: `.stopping` when the task is cancelled, and what `deliver` throws.
    public static func deliverPages(
        of present: CommittedState<App.State>, scope: Int?, isPast: Bool = false, on queries: QueryThread,
        _ deliver: (StateItem) async throws -> Void
    ) async throws {
        var pages = StatePages<App>(of: present.state, scope: scope)
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

    /// What differs between two states in a scope; `nil` where that is more than one item holds.
    public static func changes(from before: App.State, to now: App.State, scope: Int?) -> [Change]? {
        let filter = ScopeFilter(scope.map { App.scopes[$0] })
        guard let all = App.changes(from: before, to: now, limit: Limits.changesMax) else { return nil }
        let changes = all.filter(filter.contains)
        return changes.isBounded ? changes : nil
    }
}
