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
}

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

extension History {
    /// The state at a point, folded without snapshots; may be a few records earlier, because batches with a key are never split.
    public func proven(at point: Point) async throws(StoreError) -> PastState<App> {
        try await query(.long) { (queries) async throws(StoreError) in
            let sequence = try self.wholeBatches(through: try self.position(point))
            // Memory may not suffice for two more large states.
            self.cache.withLock { $0.removeLarge() }
            FreeMemory.giveBack()
            var past = try self.pastAtBase()
            try await self.fold(&past, through: sequence, queries)
            return past
        }
    }

    /// The sequence that `proven` would return.
    public func provable(at point: Point) async throws(StoreError) -> UInt64 {
        try await query { (queries) async throws(StoreError) in try self.wholeBatches(through: try self.position(point)) }
    }

    private func wholeBatches(through sequence: UInt64) throws(StoreError) -> UInt64 {
        var sequence = sequence
        while sequence > base.sequence, sequence < log.head.sequence {
            let (here, next) = (try record(at: sequence).header, try record(at: sequence + 1).header)
            guard let key = here.key, here.origin == next.origin, next.key?.utf8.elementsEqual(key.utf8) == true else { break }
            sequence -= 1
        }
        return sequence
    }
}

extension PastState {
    /// The state at the beginning of a log: its base, or before the first record.
    /// - Throws: `damaged` when this version can't read the base.
    public init(beginningOf log: any ActionLog, initial: App.State) throws(StoreError) {
        self = try PastState(baseOf: log) ?? PastState(state: initial)
    }

    init?(baseOf log: any ActionLog) throws(StoreError) {
        let found = try StoreError.reading { () throws(ActionLogError) in try log.baseState(as: App.State.self) }
        guard let (base, state) = found else { return nil }
        self.init(
            sequence: base.sequence, time: base.time, state: state, bytes: UInt64(App.growth(from: nil, to: state)))
        estimateBytes()
    }
}
