import AppFeature
import StoreRuntime
import TodoAPI

extension Point {
    /// Exactly one of the two is set.
    func check(_ name: String) throws(APIError) {
        guard (sequence == nil) != (time == nil) else { throw .invalidParameter(name) }
    }
}

extension Store<App> {
    /// The first sequence that a point, as the beginning of a range, includes; `nil` for no point.
    nonisolated func first(of point: Point?) async throws -> UInt64? {
        guard let point else { return nil }
        if let time = point.time { return max(1, try await sequence(atOrAfter: time)) }
        let sequence = max(1, point.sequence ?? 1)
        guard sequence <= present.sequence + 1 else { throw APIError.futureSequence(last: present.sequence) }
        return sequence
    }

    /// The last sequence that a point, as the end of a range, includes; without one the newest record.
    nonisolated func last(of point: Point?) async throws -> UInt64 {
        guard let point else { return present.sequence }
        if let time = point.time { return try await sequence(atOrBefore: time) }
        let sequence = point.sequence ?? 0
        guard sequence <= present.sequence else { throw APIError.futureSequence(last: present.sequence) }
        return sequence
    }

    /// One page of records, no more than a limit, and none where the range is empty.
    nonisolated func records(from first: UInt64, through last: UInt64, limit: UInt64) async throws -> [LoggedRecord<App>] {
        guard first <= last, limit > 0 else { return [] }
        let end = first + min(last - first, limit - 1)
        return try await records(from: first, through: end)
    }
}
