import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization

extension History {
    /// Rebuilds earlier missing runs of the path index, unless the state is large; returns the number of records folded.
    func fillPlaces(_ pace: NotingPace, _ queries: isolated QueryExecutor) async throws(StoreError) -> UInt64 {
        guard !isIndexed.withLock({ $0 }), let end = noting.withLock({ $0?.places.summary.first }) else { return 0 }
        // A concurrent query that finds a run missing sets this to `false` again.
        isIndexed.withLock { $0 = true }
        var (count, next) = (UInt64(0), loader.firstOfPlaces(for: base.sequence + 1))
        while let first = await loader.missingPlaces(from: next, before: end, base: base.sequence) {
            if isLarge(at: head) { return count }
            let redactions = redactions
            var past = try await self.past(at: max(first - 1, base.sequence), queries)
            past.redactions = redactions
            var run = PathIndexRun(first: first, from: past.sequence + 1, redactions: redactions)
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
