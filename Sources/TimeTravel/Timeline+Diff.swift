import ActionCoding
public import Expressions
public import Reducing
import StoreRuntime
import Synchronization

/// What differs between two moments.
public struct Differences: Sendable {
    /// The moment compared with.
    public var from: UInt64
    /// The other moment; it may be the earlier one.
    public var to: UInt64
    /// The changes that lead from one state to the other, in an order in which they can be applied.
    public var changes: [Change]

    /// The changes as a JSON patch.
    ///
    /// What a path left out is not in it, so only a patch of everything, or of whole lists and fields, can be applied.
    public var patch: [PatchOperation] { PatchOperation.operations(of: changes) }
}

extension Timeline {
    /// What differs between the states at two points, at a path and below it, or everywhere.
    ///
    /// A position in the path means the element that stands there at `to`.
    /// - Throws: `tooLarge` when there are more than `limit` changes.
    public func diff(
        _ from: Point, _ to: Point, at path: Path? = nil, limit: Int = TravelLimits.changesMax
    ) async throws(TravelError) -> Differences {
        try await query { (queries) async throws(TravelError) in
            let (from, to) = (try self.position(from), try self.position(to))
            let (old, new) = try await self.pair(from, to, queries)
            var reader = StateReading<App>(new.state)
            let filter = ChangeFilter(path?.resolved(in: &reader))
            try await self.breathe(queries)
            // The limit is that of the answer; without a path it also ends the work.
            let workMax = path == nil ? limit : Int.max
            guard let changes = App.changes(from: old.state, to: new.state, limit: workMax)?.filter(filter.contains),
                changes.count <= limit
            else { throw .tooLarge(max: limit) }
            return Differences(from: from, to: to, changes: changes.map(filter.narrowed))
        }
    }

    /// The states at two moments.
    ///
    /// Where the way between them is short they share what it leaves unchanged, which makes them quick to compare.
    func pair(
        _ from: UInt64, _ to: UInt64, _ queries: isolated Queries
    ) async throws(TravelError) -> (old: Past<App>, new: Past<App>) {
        let earlier = try await past(at: min(from, to), queries)
        cache.withLock { $0.keep(earlier) }
        var later = earlier
        if max(from, to) - earlier.sequence > TravelLimits.shortFoldRecords {
            later = try await past(at: max(from, to), queries)
        } else {
            try await fold(&later, through: max(from, to), queries)
        }
        return from <= to ? (earlier, later) : (later, earlier)
    }

    /// What one record changed.
    func changes(by sequence: UInt64, _ queries: isolated Queries) async throws(TravelError) -> [Change] {
        guard sequence > base.sequence else { return [] }
        let (old, new) = try await pair(sequence - 1, sequence, queries)
        guard let changes = App.changes(from: old.state, to: new.state, limit: TravelLimits.changesMax) else {
            throw .tooLarge(max: TravelLimits.changesMax)
        }
        return changes
    }
}
