import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Rejects a point in the middle of a dispatch with `withinChange`: such a state was never visible and may violate invariants.
    func requireEdge(at sequence: UInt64) async throws(StoreError) {
        try await query(.long) { (queries) async throws(StoreError) in
            let (base, head) = (self.base.sequence, self.head)
            guard sequence > base, sequence < head else { return }
            var latest: RecordHeader?
            var isWithin = false
            try await self.forEachHeader(in: sequence...sequence + 1, queries) { header in
                isWithin = latest.map { header.isOfDispatch(of: $0) } ?? false
                latest = header
                return true
            }
            guard isWithin, let step = latest?.step else { return }
            latest = nil
            var first = sequence
            try await self.forEachHeader(in: max(step, base + 1)...head, queries) { header in
                if latest.map({ header.isOfDispatch(of: $0) }) != true {
                    guard header.sequence <= sequence else { return false }
                    first = header.sequence
                }
                latest = header
                return true
            }
            throw .withinChange(before: first - 1, after: latest?.sequence ?? head)
        }
    }

    private func forEachHeader(
        in sequences: ClosedRange<UInt64>, _ queries: isolated Queries, _ body: (RecordHeader) -> Bool
    ) async throws(StoreError) {
        var next = sequences.lowerBound
        while next <= sequences.upperBound {
            var goesOn = true
            try StoreError.reading { () throws(ActionLogError) in
                next = try log.read(
                    from: next, through: sequences.upperBound, recordsMax: Limits.pageRecordsMax, bytesMax: Limits.pageBytesMax
                ) { header, _ in
                    goesOn = body(header)
                    return goesOn
                }
            }
            guard goesOn else { return }
            try await queries.yieldIfNeeded()
        }
    }
}
