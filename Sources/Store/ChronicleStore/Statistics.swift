import Chronicle
import Synchronization

final class Statistics: Sendable {
    let dispatches = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    let records = Atomic<UInt64>(0)
    let flushes = Atomic<UInt64>(0)
    let failedFlushes = Atomic<UInt64>(0)
    let flushTimes = LatencyHistogram()
    let dispatchTimes = LatencyHistogram()
    let lateEnds = Atomic<UInt64>(0)
    let repeatedPieces = Atomic<UInt64>(0)
    let rateParked = Atomic<UInt64>(0)
    let open = Atomic<Int>(0)
    let started = Atomic<Int>(0)
    let parked = Atomic<Int>(0)
    let held = Atomic<Int>(0)
    let scheduled = Atomic<Int>(0)
    let holdsAll = Atomic<Bool>(false)

    func note(_ outbox: Outbox<some NamedCommand>) {
        let counts = outbox.counts
        open.store(counts.open, ordering: .relaxed)
        started.store(counts.started, ordering: .relaxed)
        parked.store(counts.parked, ordering: .relaxed)
        held.store(counts.held, ordering: .relaxed)
        scheduled.store(counts.scheduled, ordering: .relaxed)
        holdsAll.store(outbox.holdsAll, ordering: .relaxed)
    }
}
