import Chronicle
import ChronicleLog
public import ChronicleStore
import Synchronization

extension History {
    /// Indexes the records up to the head by the paths that they changed.
    ///
    /// Continues after the last call or the last saved run. If much is missing and the state is large, it begins at the head, so that no
    /// second one is in memory.
    /// - Parameters:
    ///   - rest: the pause after each piece of work, as a multiple of its time, while the log grows; otherwise a tenth of that.
    ///   - deadline: when to stop and save; `nil`: at the head.
    /// - Returns: the number of records folded.
    @discardableResult
    public func indexPaths(
        resting rest: Int = 0, until deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> UInt64 {
        guard loader.keepsPlaces, isBehind(atEnd: deadline != nil) else { return 0 }
        return try await queries.perform(.long) { (queries) async throws(StoreError) in
            let pace = NotingPace(rest: rest, deadline: deadline)
            try await self.beginNoting(queries)
            var count: UInt64 = 0
            while let last = self.noting.withLock({ $0?.past.sequence }), last < self.head, !pace.isOver {
                let (began, head) = (ContinuousClock.now, self.head)
                let noted = try await self.note(through: head, queries)
                if noted == 0 { return count }
                count += noted
                try await queries.yieldIfNeeded()
                await pace.pause(after: began, isGrowing: self.head != head)
            }
            await self.leaveNoted(atEnd: deadline != nil)
            self.shareWithStore()
            return count + (try await self.fillPlaces(pace, queries))
        }
    }

    private func isBehind(atEnd: Bool) -> Bool {
        let head = head
        return noting.withLock { noted in
            guard let noted else { return true }
            return noted.past.sequence != head || atEnd && noted.placesLeft != head
        } || !isIndexed.withLock { $0 }
    }

    private func beginNoting(_ queries: isolated QueryExecutor) async throws(StoreError) {
        let (base, redactions) = (base.sequence, redactions)
        let known = noting.withLock { $0?.past }
        if let known, known.sequence >= base, known.redactions == redactions { return }
        let head = head
        var places = await loader.newestPlaces(through: head)
        var start = max(places?.summary.last ?? 0, base)
        if head - start > HistoryLimits.indexedAgainMax, isLarge(at: head) { start = head }
        var past = try await self.past(at: start, queries)
        past.redactions = redactions
        if places?.summary.last != start || loader.firstOfPlaces(for: start + 1) > start {
            places = PathIndexRun(first: loader.firstOfPlaces(for: start + 1), from: start + 1, redactions: redactions)
        }
        guard var places else { return }
        places.summary.redactions = redactions
        noting.withLock { [past, places] in $0 = Noted(past: past, places: places, placesLeft: places.summary.last) }
    }

    /// Whether a state is too large to hold a second one.
    func isLarge(at head: UInt64) -> Bool {
        guard var present = present(at: head) else { return false }
        present.estimateBytes()
        return present.bytes > HistoryLimits.pastBytesMax
    }

    /// Indexes the next records for one slice, and saves a complete run; returns the number of records.
    func note(through last: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> UInt64 {
        // Taken, so that changing it copies nothing; nothing else runs on this thread before it is put back.
        guard var noted = noting.withLock({ $0.take() }) else { return 0 }
        let begin = noted.past.sequence
        let placesEnd = noted.places.summary.first + loader.placesMax - 1
        guard redactions == noted.past.redactions else { return 0 }
        do throws(StoreError) {
            guard try noteSlice(&noted, through: min(last, placesEnd)) else { return 0 }
        } catch {
            noting.withLock { [noted] in $0 = noted }
            throw error
        }
        let end = noted.past.sequence
        let places = end == placesEnd ? noted.places : nil
        if places != nil {
            noted.places = PathIndexRun(first: end + 1, from: end + 1, redactions: noted.past.redactions)
            noted.placesLeft = end
        }
        noting.withLock { [noted] in $0 = noted }
        if let places {
            await loader.leave(places)
            // Many records were added: there may be room for snapshots between them.
            gap.yield()
        }
        return end - begin
    }

    /// Folds and indexes each record; `false` if the app can't report changes.
    private func noteSlice(_ noted: inout Noted<App>, through last: UInt64) throws(StoreError) -> Bool {
        guard noted.past.sequence < last else { return true }
        var (isKnown, state) = (true, noted.past.state)
        let touchesMax = loader.touchesMax
        var places = noted.places
        noted.places = PathIndexRun(first: 1, from: 1, redactions: 0)
        defer { noted.places = places }
        try foldSlice(&noted.past, through: last) { past, _ in
            guard let difference = App.difference(from: state, to: past.state) else {
                isKnown = false
                return false
            }
            self.places.note(difference, in: &places, touchesMax: touchesMax)
            state = past.state
            return true
        }
        return isKnown
    }

    /// Rebuilds earlier missing runs, unless the state is large; returns the number of records folded.
    private func fillPlaces(_ pace: NotingPace, _ queries: isolated QueryExecutor) async throws(StoreError) -> UInt64 {
        guard !isIndexed.withLock({ $0 }), let end = noting.withLock({ $0?.places.summary.first }) else { return 0 }
        // A concurrent query that finds a run missing sets this to `false` again.
        isIndexed.withLock { $0 = true }
        var (count, next) = (UInt64(0), loader.firstOfPlaces(for: base.sequence + 1))
        while let first = await loader.missingPlaces(from: next, before: end, base: base.sequence) {
            if isLarge(at: head) { return count }
            let redactions = redactions
            var past = try await self.past(at: max(first - 1, base.sequence), queries)
            past.redactions = redactions
            let run = PathIndexRun(first: first, from: past.sequence + 1, redactions: redactions)
            var noted = Noted<App>(past: past, places: run, placesLeft: first)
            let last = first + loader.placesMax - 1
            while noted.past.sequence < last {
                if pace.isOver || redactions != self.redactions {
                    isIndexed.withLock { $0 = false }
                    return count
                }
                let (began, head, before) = (ContinuousClock.now, self.head, noted.past.sequence)
                guard try noteSlice(&noted, through: last) else { return count }
                count += noted.past.sequence - before
                try await queries.yieldIfNeeded()
                await pace.pause(after: began, isGrowing: self.head != head)
            }
            await loader.leave(noted.places)
            next = last + 1
        }
        return count
    }

    private func leaveNoted(atEnd: Bool) async {
        let due = noting.withLock { noted -> PathIndexRun? in
            guard let found = noted else { return nil }
            guard found.arePlacesDue || atEnd && found.placesLeft < found.places.summary.last else { return nil }
            noted?.placesLeft = found.past.sequence
            return found.places
        }
        if let due { await loader.leave(due) }
    }

    /// Drops this state if the store holds the same one.
    private func shareWithStore() {
        guard let last = noting.withLock({ $0?.past.sequence }), let present = present(at: last) else { return }
        noting.withLock { noted in
            // A state from before a redaction differs from the store's.
            if let past = noted?.past, past.sequence == last, past.redactions == present.redactions { noted?.past = present }
        }
    }
}

struct NotingPace: Sendable {
    var rest: Int
    var deadline: ContinuousClock.Instant?

    var isOver: Bool { deadline.map { .now >= $0 } ?? false }

    func pause(after began: ContinuousClock.Instant, isGrowing: Bool) async {
        let pause = isGrowing ? rest : rest / 10
        // The next yield reports cancellation.
        if pause > 0 { try? await Task.sleep(for: (ContinuousClock.now - began) * pause) }
    }
}

/// Index progress: the last indexed record, and the run being written.
struct Noted<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The state after the last indexed record.
    var past: PastState<App>
    var places: PathIndexRun
    /// The end of the index that is saved.
    var placesLeft: UInt64

    /// The indexed records of this run; `nil` if empty, or after a redaction.
    func range(after redactions: UInt64) -> ClosedRange<UInt64>? {
        guard places.summary.redactions == redactions, places.summary.from <= places.summary.last else { return nil }
        return places.summary.from...places.summary.last
    }

    /// Whether to save the index: an eighth of it is unsaved.
    var arePlacesDue: Bool {
        let last = places.summary.last
        return last > placesLeft && (last - placesLeft) * 8 >= last - min(last, places.summary.from - 1)
    }
}
