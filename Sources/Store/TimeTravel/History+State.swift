import Records
import Reducing
public import StoreRuntime
import Synchronization
import Values

extension History {
    /// The state at a point; `folded` in it says how many records had to be folded.
    public func state(at point: Point) async throws(StoreError) -> PastState<App> {
        try await query { (queries) async throws(StoreError) in
            try await self.past(at: try self.position(point), queries)
        }
    }

    /// The state at a sequence, from the nearest one that is kept.
    func past(at sequence: UInt64, _ queries: isolated Queries) async throws(StoreError) -> PastState<App> {
        if let present = present(at: sequence) { return present }
        var past = try await nearest(through: sequence, queries)
        guard past.sequence < sequence else { return past }
        try await fold(&past, through: sequence, queries)
        keep(&past)
        return past
    }

    /// The kept state from which a sequence is reached soonest.
    func nearest(through sequence: UInt64, _ queries: isolated Queries) async throws(StoreError) -> PastState<App> {
        let redactions = log.redactions.count
        var best = try kept(through: sequence)
        let start = best?.sequence ?? base.sequence
        // A snapshot takes a while to load, so a short way is not worth one.
        if let best, sequence - start <= max(1, best.bytes / HistoryLimits.snapshotBytesPerRecord) { return best }
        // Release the reference: loading a large state must be able to free it.
        best = nil
        var found: PastState<App>
        if start < sequence,
            let snapshot = await loader.newest(in: start + 1...sequence, makeRoom: { self.cache.withLock { $0.removeLarge() } })
        {
            found = snapshot
        } else if let best = try kept(through: sequence) {
            return best
        } else {
            found = try pastAtBase()
        }
        try await queries.yieldIfNeeded()
        // The log may have been compacted while it was read.
        let base = base.sequence
        guard found.sequence >= base, found.sequence <= sequence else { throw .pruned(base: base) }
        found.redactions = redactions
        counting.withLock { $0.decoded += 1 }
        letGo(cache.withLock { $0.keep(decoded: &found, head: head) })
        return found
    }

    /// The cached state from which the fold to a sequence is shortest; `nil`: the base must be read.
    ///
    /// - Throws: `pruned` if the log was compacted past the sequence after the request.
    private func kept(through sequence: UInt64) throws(StoreError) -> PastState<App>? {
        let redactions = log.redactions
        let base = base.sequence
        guard base <= sequence else { throw .pruned(base: base) }
        var past = cache.withLock { $0.nearest(through: sequence, after: redactions) }
        // One that was kept while the log was compacted can't be gone on from.
        if past.map({ $0.sequence < base }) ?? true { past = smallPastAtBase }
        past?.folded = 0
        past?.redactions = redactions.count
        return past
    }

    /// Keeps a state to go on from.
    ///
    /// - Parameter former: the sequence of one that it takes the place of.
    func keep(_ past: inout PastState<App>, insteadOf former: UInt64? = nil) {
        past.estimateBytes()
        if let former { cache.withLock { $0.remove(former) } }
        letGo(cache.withLock { [past] in $0.keep(past, head: head) })
    }

    /// Frees evicted states, outside the reply's path unless the memory is needed at once.
    private func letGo(_ gone: consuming HistoryCache<App>.Gone) {
        guard gone.isLarge else { return loader.letGo(&gone.pasts) }
        gone.pasts = []
        FreeMemory.giveBack()
    }

    /// Folds on to a sequence.
    func fold(
        _ past: inout PastState<App>, through last: UInt64, _ queries: isolated Queries,
        progress: (UInt64) -> Void = { _ in }
    ) async throws(StoreError) {
        while past.sequence < last {
            let folded = try foldOn(log, &past, last)
            counting.withLock { $0.folded += folded }
            progress(past.sequence)
            try await queries.yieldIfNeeded()
        }
    }

    /// Folds on until a sequence is reached, the slice is over, or the closure, called after each record, gives `false`.
    func foldSlice(
        _ past: inout PastState<App>, through last: UInt64, _ body: (borrowing PastState<App>, HeaderFields) -> Bool
    ) throws(StoreError) {
        var folded: UInt64 = 0
        defer { counting.withLock { [folded] in $0.folded += folded } }
        try readSlice(from: past.sequence + 1, through: last) { record, action in
            past.apply(action, of: record)
            folded += 1
            return body(past, record)
        }
    }
}
