public import Chronicle
public import ChronicleStore
public import Expressions
import Synchronization

/// The diff of two states.
public struct Differences: Sendable {
    /// The point compared with.
    public var from: UInt64
    /// The other point, possibly earlier.
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
        from old: App.State, to new: App.State, at path: Path, limit: Int, _ queries: isolated Queries
    ) async throws(StoreError) -> [Change] {
        let (filter, names) = (ChangeFilter(path), path.names)
        // Close states have few changes, so compute them all; otherwise only those at the path.
        var changes = App.changes(from: old, to: new, limit: HistoryLimits.countedChangesMax, within: names)
        if changes == nil, let part = PartDifference<App>(from: old, to: new, at: path) {
            changes = try await part.changes { () async throws(StoreError) in try await queries.yieldIfNeeded() }
        }
        if changes == nil {
            // A list may change completely; outside of lists there are few fields.
            let workMax = PlaceWatch<App>.holdsLists(names, new) ? limit + min(limit, HistoryLimits.countedChangesMax) : .max
            changes = App.changes(from: old, to: new, limit: workMax, within: names)
        }
        let wanted = changes?.filter(filter.contains)
        guard let wanted, wanted.count <= limit else { throw .answerTooLarge }
        return wanted.map(filter.narrowed)
    }

    /// The states at two points; nearby states share their unchanged parts, so comparing them is fast.
    func pair(
        _ from: UInt64, _ to: UInt64, _ queries: isolated Queries
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
    func changes(by sequence: UInt64, _ queries: isolated Queries) async throws(StoreError) -> [Change]? {
        guard sequence > base.sequence else { return [] }
        let (old, new) = try await pair(sequence - 1, sequence, queries)
        return App.changes(from: old.state, to: new.state, limit: HistoryLimits.changesMax)
    }
}
