import ChronicleLog
import Synchronization

extension Store {
    /// Durations of dispatches, from the arrival of the first of a batch until all were answered.
    public nonisolated var dispatchTimes: LatencyHistogram { statistics.dispatchTimes }

    /// Durations of commits.
    public nonisolated var flushTimes: LatencyHistogram { statistics.flushTimes }

    /// The store's status; reads the log's free-page table, so it is too slow for every call.
    public nonisolated var status: StoreStatus {
        let headroom = log.headroom()
        let use = try? log.storage()
        let load = { (counter: borrowing Atomic<UInt64>) in counter.load(ordering: .relaxed) }
        return StoreStatus(
            dispatches: load(statistics.dispatches), refused: load(statistics.refused),
            records: load(statistics.records), flushes: load(statistics.flushes),
            failedFlushes: load(statistics.failedFlushes),
            outbox: statistics.open.load(ordering: .relaxed), outboxStarted: statistics.started.load(ordering: .relaxed),
            outboxParked: statistics.parked.load(ordering: .relaxed), outboxHeld: statistics.held.load(ordering: .relaxed),
            outboxScheduled: statistics.scheduled.load(ordering: .relaxed),
            areCommandsHeld: statistics.holdsAll.load(ordering: .relaxed),
            lateEnds: load(statistics.lateEnds), repeatedPieces: load(statistics.repeatedPieces),
            rateParked: load(statistics.rateParked),
            waitingReaders: publisher.waiting, waitingDispatches: inbox.count, snapshot: snapshots?.last ?? SnapshotFact(),
            logBytes: UInt64(use?.usedBytes ?? 0), mapBytes: UInt64(use?.mapBytes ?? 0),
            freeBytes: UInt64(clamping: headroom.diskFreeBytes), clockBehind: options.clock.behind(present.time),
            isStorageFull: headroom.refusal(freeBytesMin: options.freeBytesMin) != nil)
    }
}
