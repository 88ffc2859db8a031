import Synchronization

/// Counters that the store's thread adds to and anybody reads.
final class Statistics: Sendable {
    let dispatches = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    let records = Atomic<UInt64>(0)
    let flushes = Atomic<UInt64>(0)
    let failedFlushes = Atomic<UInt64>(0)
    let flushNanoseconds = Atomic<UInt64>(0)
    let outbox = Atomic<Int>(0)
}
