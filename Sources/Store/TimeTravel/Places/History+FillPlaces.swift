import Records
import Reducing
import StoreRuntime
import Synchronization

extension History {
    /// Makes the runs of places anew that are missing before the one that is noted; gives how many records that took.
    ///
    /// Of a large state they stay missing, so that no second one is held, and what they would tell is found by a walk.
    func fillPlaces(_ pace: NotingPace, _ queries: isolated Queries) async throws(StoreError) -> UInt64 {
        guard !isIndexed.withLock({ $0 }), let end = noting.withLock({ $0?.places.summary.first }) else { return 0 }
        // Who finds one missing meanwhile says so once more.
        isIndexed.withLock { $0 = true }
        var (count, next) = (UInt64(0), loader.firstOfPlaces(for: base.sequence + 1))
        while let first = await loader.missingPlaces(from: next, before: end, base: base.sequence) {
            if isLarge(at: head) { return count }
            let redactions = redactions
            var past = try await self.past(at: max(first - 1, base.sequence), queries)
            past.redactions = redactions
            var run = PlaceRun(first: first, from: past.sequence + 1, redactions: redactions)
            let last = first + loader.placesMax - 1
            while past.sequence < last {
                if pace.isOver || redactions != self.redactions {
                    isIndexed.withLock { $0 = false }
                    return count
                }
                let (began, head) = (ContinuousClock.now, self.head)
                let touchesMax = loader.touchesMax
                var (state, isKnown) = (past.state, true)
                let before = past.sequence
                try foldSlice(&past, through: last) { past, _ in
                    guard let difference = App.difference(from: state, to: past.state) else {
                        isKnown = false
                        return false
                    }
                    places.note(difference, in: &run, touchesMax: touchesMax)
                    state = past.state
                    return true
                }
                if !isKnown { return count }
                count += past.sequence - before
                try await queries.yieldIfNeeded()
                await pace.pause(after: began, isGrowing: self.head != head)
            }
            await loader.leave(run)
            next = last + 1
        }
        return count
    }
}
