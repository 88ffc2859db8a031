import ChronicleLog
import ChronicleStore

extension History {
    /// Rejects a point in the middle of a dispatch with `withinChange`: such a state was never visible and may violate invariants.
    func requireEdge(at sequence: UInt64) async throws(StoreError) {
        try await query(.long) { (queries) async throws(StoreError) in
            // The records before the base are gone.
            guard sequence > self.base.sequence, sequence < self.head else { return }
            let (before, after) = (try self.record(at: sequence), try self.record(at: sequence + 1))
            guard after.header.isOfDispatch(of: before.header) else { return }
            let first = try await self.outermost(from: before, isForward: false, queries) {
                $1.header.isOfDispatch(of: $0.header)
            }
            let last = try await self.outermost(from: after, isForward: true, queries) { $1.header.isOfDispatch(of: $0.header) }
            throw .withinChange(before: first.header.sequence - 1, after: last.header.sequence)
        }
    }
}
