public import Chronicle
public import ChronicleLog
public import ChronicleStore
import Synchronization

extension History {
    /// The state at a point; `folded` is the number of records that were folded.
    public func state(at point: Point) async throws(StoreError) -> PastState<App> {
        try await query { (queries) async throws(StoreError) in
            try await self.past(at: try self.position(point), queries)
        }
    }

    func past(at sequence: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> PastState<App> {
        if let present = present(at: sequence) { return present }
        var past = try await nearest(through: sequence, queries)
        guard past.sequence < sequence else { return past }
        try await fold(&past, through: sequence, queries)
        keep(&past)
        return past
    }

    /// The cached state or snapshot from which a sequence is reached soonest.
    func nearest(through sequence: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> PastState<App> {
        let redactions = log.redactions.count
        var best = try kept(through: sequence)
        let start = best?.sequence ?? base.sequence
        // Loading a snapshot takes a while, so fold a short distance instead.
        if let best, sequence - start <= max(1, best.bytes / HistoryLimits.snapshotBytesPerRecord) { return best }
        // Release the reference, so that loading a large state can free it.
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
        // The log may have been compacted concurrently.
        let base = base.sequence
        guard found.sequence >= base, found.sequence <= sequence else { throw .pruned(base: base) }
        found.redactions = redactions
        counting.withLock { $0.decoded += 1 }
        letGo(cache.withLock { $0.keep(decoded: &found, head: head) })
        return found
    }

    /// The cached state from which the fold to a sequence is shortest; `nil`: the base must be read.
    /// - Throws: `pruned` if the log was compacted past the sequence after the request.
    private func kept(through sequence: UInt64) throws(StoreError) -> PastState<App>? {
        let redactions = log.redactions
        let base = base.sequence
        guard base <= sequence else { throw .pruned(base: base) }
        var past = cache.withLock { $0.nearest(through: sequence, after: redactions) }
        // A state from before the base can't be used: its records are gone.
        if past.map({ $0.sequence < base }) ?? true { past = smallPastAtBase }
        past?.folded = 0
        past?.redactions = redactions.count
        return past
    }

    /// Caches a state to continue from.
    /// - Parameter former: the sequence of the state that it replaces.
    func keep(_ past: inout PastState<App>, insteadOf former: UInt64? = nil) {
        past.estimateBytes()
        if let former { cache.withLock { $0.remove(former) } }
        letGo(cache.withLock { [past] in $0.keep(past, head: head) })
    }

    /// Frees evicted states off the reply path, unless the memory is needed at once.
    private func letGo(_ gone: consuming HistoryCache<App>.Gone) {
        guard gone.isLarge else { return loader.letGo(&gone.pasts) }
        gone.pasts = []
        FreeMemory.giveBack()
    }

    func fold(
        _ past: inout PastState<App>, through last: UInt64, _ queries: isolated QueryExecutor,
        progress: (UInt64) -> Void = { _ in }
    ) async throws(StoreError) {
        while past.sequence < last {
            let folded = try foldOn(log, &past, last)
            counting.withLock { $0.folded += folded }
            progress(past.sequence)
            try await queries.yieldIfNeeded()
        }
    }

    /// Folds until a sequence is reached, the slice is over, or the closure, called after each record, returns `false`.
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

    /// Visits record headers and encoded actions, in slices that yield to other queries.
    /// - Parameters:
    ///   - body: returns `false` to end the slice with this record.
    ///   - between: called after each slice; returns `false` to stop.
    func walk(
        from first: UInt64, through last: UInt64, _ queries: isolated QueryExecutor,
        _ body: (HeaderFields, RawSpan) -> Bool, between: () throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var next = first
        while next <= last {
            let slice = Slice()
            try StoreError.reading { () throws(ActionLogError) in
                next = try log.fold(from: next, through: last) { body($0, $1) && !slice.isOver(after: $0) }
            }
            guard try between() else { return }
            try await queries.yieldIfNeeded()
        }
    }

    /// The outermost of the adjacent records, before or after a record, that belong together with it.
    /// - Parameter belong: gets two adjacent records.
    func outermost(
        from record: LoggedRecord<App>, isForward: Bool, _ queries: isolated QueryExecutor,
        _ belong: (_ before: LoggedRecord<App>, _ after: LoggedRecord<App>) -> Bool
    ) async throws(StoreError) -> LoggedRecord<App> {
        var last = record
        while isForward ? last.header.sequence < log.head.sequence : last.header.sequence - 1 > base.sequence {
            let next = try self.record(at: isForward ? last.header.sequence + 1 : last.header.sequence - 1)
            guard isForward ? belong(last, next) : belong(next, last) else { break }
            last = next
            try await queries.yieldIfNeeded()
        }
        return last
    }

    /// Visits records and their actions up to `last`, at least one, until the slice is over or the closure returns `false`.
    public func readSlice(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, App.Action?) -> Bool
    ) throws(StoreError) {
        try Self.readSlice(of: log, from: first, through: last, body)
    }

    static func readSlice(
        of log: any ActionLog, from first: UInt64, through last: UInt64, _ body: (HeaderFields, App.Action?) -> Bool
    ) throws(StoreError) {
        let slice = Slice()
        try StoreError.reading { () throws(ActionLogError) in
            try App.Action.read(log, from: first, through: last) { body($0, $1) && !slice.isOver(after: $0) }
        }
    }
}

private struct Slice {
    private let end = monotonicNanoseconds() + HistoryLimits.sliceNanoseconds

    func isOver(after record: HeaderFields) -> Bool {
        record.sequence % HistoryLimits.clockRecords == 0 && monotonicNanoseconds() >= end
    }
}
