import Chronicle
import ChronicleLog
public import ChronicleStore
import Synchronization

extension History {
    /// Saves the changes of each record up to the head: checks for later code, and the path index.
    ///
    /// Continues after the last call or the last saved runs. If much is missing and the state is large, it begins at the head, so that no
    /// second one is in memory.
    /// - Parameters:
    ///   - rest: the pause after each piece of work, as a multiple of its time, while the log grows; otherwise a tenth of that.
    ///   - deadline: when to stop and save; `nil`: at the head.
    /// - Returns: the number of records folded.
    @discardableResult
    public func leaveChecks(
        resting rest: Int = 0, until deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> UInt64 {
        guard loader.keepsChecks, isBehind(atEnd: deadline != nil) else { return 0 }
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
            return noted.past.sequence != head || noted.checksLeft != head || atEnd && noted.placesLeft != head
        } || !isIndexed.withLock { $0 }
    }

    private func beginNoting(_ queries: isolated Queries) async throws(StoreError) {
        let (base, redactions) = (base.sequence, redactions)
        let known = noting.withLock { $0?.past }
        if let known, known.sequence >= base, known.redactions == redactions { return }
        var start = max(await loader.usableChecks()?.last ?? 0, base)
        let firstPlace = loader.firstOfPlaces(for: start + 1)
        var places = await loader.places(firstPlace, through: start)
        start = max(places?.summary.last ?? firstPlace - 1, base)
        let head = head
        if head - start > HistoryLimits.rehearsedTailMax, isLarge(at: head) { start = head }
        var past = try await self.past(at: start, queries)
        past.redactions = redactions
        if places?.summary.last != start {
            places = PlaceRun(first: loader.firstOfPlaces(for: start + 1), from: start + 1, redactions: redactions)
        }
        guard var places else { return }
        places.summary.redactions = redactions
        let first = FoldChecks.first(for: start + 1)
        let count = Int(start + 1 - first)
        let kept = await loader.ownChecks(first)?.checks.prefix(count) ?? []
        let unknown = Array(repeating: FoldChecks.unknown, count: count - kept.count)
        let checks = FoldChecks(first: first, checks: kept + unknown, fingerprint: "", redactions: redactions)
        noting.withLock { [past, places] in
            $0 = Noted(past: past, checks: checks, places: places, checksLeft: 0, placesLeft: places.summary.last)
        }
    }

    /// Whether a state is too large to hold a second one.
    func isLarge(at head: UInt64) -> Bool {
        guard var present = present(at: head) else { return false }
        present.estimateBytes()
        return present.bytes > HistoryLimits.pastBytesMax
    }

    /// Indexes the next records for one slice, and saves complete runs; returns the number of records.
    func note(through last: UInt64, _ queries: isolated Queries) async throws(StoreError) -> UInt64 {
        // Taken, so that changing it copies nothing; nothing else runs on this thread before it is put back.
        guard var noted = noting.withLock({ $0.take() }) else { return 0 }
        let (begin, checksEnd) = (noted.past.sequence, noted.checks.first + FoldChecks.recordsMax - 1)
        let placesEnd = noted.places.summary.first + loader.placesMax - 1
        // A check must not contain redacted text.
        guard redactions == noted.past.redactions else { return 0 }
        do throws(StoreError) {
            guard try noteSlice(&noted, through: min(last, checksEnd, placesEnd)) else { return 0 }
        } catch {
            noting.withLock { [noted] in $0 = noted }
            throw error
        }
        let end = noted.past.sequence
        let checks = end == checksEnd ? noted.checks : nil
        let places = end == placesEnd ? noted.places : nil
        if checks != nil {
            noted.checks = FoldChecks(first: end + 1, fingerprint: "", redactions: noted.past.redactions)
            noted.checksLeft = end
        }
        if places != nil {
            noted.places = PlaceRun(first: end + 1, from: end + 1, redactions: noted.past.redactions)
            noted.placesLeft = end
        }
        noting.withLock { [noted] in $0 = noted }
        if let checks { await loader.leave(checks, at: end) }
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
        let (touchesMax, keepsPlaces) = (loader.touchesMax, loader.keepsPlaces)
        var checks: [UInt32] = []
        var places = noted.places
        noted.places = PlaceRun(first: 1, from: 1, redactions: 0)
        defer {
            noted.places = places
            noted.checks.checks += checks
        }
        try foldSlice(&noted.past, through: last) { past, _ in
            guard let difference = App.difference(from: state, to: past.state) else {
                isKnown = false
                return false
            }
            checks.append(FoldChecks.check(difference.bytes))
            if keepsPlaces { self.places.note(difference, in: &places, touchesMax: touchesMax) }
            state = past.state
            return true
        }
        return isKnown
    }

    private func leaveNoted(atEnd: Bool) async {
        let found = noting.withLock { noted -> (checks: FoldChecks?, places: PlaceRun?, at: UInt64)? in
            guard let found = noted else { return nil }
            let last = found.past.sequence
            let isDue = found.arePlacesDue || atEnd && found.placesLeft < found.places.summary.last
            noted?.checksLeft = last
            if isDue { noted?.placesLeft = last }
            return (found.checksLeft < last ? found.checks : nil, isDue ? found.places : nil, last)
        }
        guard let found else { return }
        if let checks = found.checks, !checks.checks.isEmpty { await loader.leave(checks, at: found.at) }
        if let places = found.places { await loader.leave(places) }
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
