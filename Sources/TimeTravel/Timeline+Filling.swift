import ActionCoding
import ActionLogs
import Reducing
import StoreRuntime
import Synchronization

extension Timeline {
    /// Leaves snapshots behind where there are too few, so that every state is a short fold away, and removes those of other code.
    ///
    /// A store writes them as it goes; this is for what it could not: after an update, after somebody removed them, and where
    /// dispatches came too quickly. It folds on the query thread, and lets others go first.
    ///
    /// - Parameter rest: how much longer than each piece of work the rest after it is; 9 leaves nine tenths of a processor.
    /// - Returns: how many it wrote.
    @discardableResult
    public func fillGaps(resting rest: Int = 0) async throws(TravelError) -> Int {
        try await query(.long) { (queries) async throws(TravelError) in
            let head = self.log.head.sequence
            let kept = await self.shelf.usableTravelSequences().filter { $0 <= head }
            var written = 0
            for (start, end) in zip([self.base.sequence] + kept, kept + [head])
            where start < end && end - start > TravelSnapshots.recordsMax {
                var past = try await self.nearest(through: start, queries)
                try await self.fold(&past, through: start, queries)
                while end - past.sequence > TravelSnapshots.recordsMin {
                    // So far apart that two of them take no more than the records between them, half of it each.
                    let step = max(TravelSnapshots.recordsMin, min(past.bytes / Self.leastRecordBytes, end - past.sequence))
                    let stop = min(past.sequence + step, end)
                    let began = ContinuousClock.now
                    try await self.fold(&past, through: stop, queries)
                    guard self.log.redactions.leave(past.sequence, foldedAfter: past.redactions) else { return written }
                    past.bytes = await self.shelf.leave(past)
                    written += 1
                    try await self.breathe(queries)
                    // Whoever is cancelled meanwhile is told by the next breath.
                    if rest > 0 { try? await Task.sleep(for: (ContinuousClock.now - began) * rest) }
                }
            }
            return written
        }
    }

    // Half of what a small record takes in the log.
    private static var leastRecordBytes: UInt64 { 50 }
}
