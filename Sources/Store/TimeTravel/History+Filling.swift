import Chronicle
import ChronicleLog
public import ChronicleStore
import Synchronization

extension History {
    /// Writes missing snapshots, so that every past state is a short fold away, and removes those of other code.
    /// - Parameter rest: the pause after each piece of work, as a multiple of its time; 9 leaves nine tenths of a processor free.
    /// - Returns: the number of snapshots written.
    @discardableResult
    public func fillGaps(resting rest: Int = 0) async throws(StoreError) -> Int {
        try await query(.long) { (queries) async throws(StoreError) in
            let head = self.log.head.sequence
            let kept = await self.loader.usableHistorySequences().filter { $0 <= head }
            var written = 0
            for (start, end) in zip([self.base.sequence] + kept, kept + [head])
            where start < end && end - start > HistorySnapshots.recordsMin {
                guard let room = await self.loader.room else { return written }
                // The size of a snapshot here: the disk may lack space for another.
                var bytes = room.places.first { $0.sequence == start }.map { UInt64(clamping: $0.bytes) }
                let step = room.historyStep(bytes: bytes ?? 0)
                guard end - start > step + step / 2 else { continue }
                var past = try await self.nearest(through: start, queries)
                try await self.fold(&past, through: start, queries)
                while let room = await self.loader.room {
                    let step = room.historyStep(bytes: bytes ?? past.bytes)
                    guard end - past.sequence > step else { break }
                    let stop = past.sequence + step
                    // Don't fold and encode what the disk has no space for.
                    guard room.keeps(stop, bytes: bytes ?? past.bytes) else { break }
                    let began = ContinuousClock.now
                    try await self.fold(&past, through: stop, queries)
                    guard self.log.redactions.leave(past.sequence, foldedAfter: past.redactions) else { return written }
                    let left = await self.loader.leave(past, in: room)
                    past.bytes = left.stateBytes
                    bytes = left.keptBytes.map { UInt64($0) }
                    guard bytes != nil else { break }
                    written += 1
                    try await queries.yieldIfNeeded()
                    // Cancellation is noticed at the next yield.
                    if rest > 0 { try? await Task.sleep(for: (ContinuousClock.now - began) * rest) }
                }
            }
            return written
        }
    }
}
