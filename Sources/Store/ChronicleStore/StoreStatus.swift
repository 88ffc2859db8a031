import Chronicle
import ChronicleLog
import Synchronization

/// The status of a store; counts are since its start.
public struct StoreStatus: Sendable {
    /// Dispatches accepted or refused.
    public var dispatches: UInt64
    public var refused: UInt64
    public var records: UInt64
    public var flushes: UInt64
    public var failedFlushes: UInt64
    public var commands: CommandCounts
    /// Results that came after the command had ended.
    public var lateEnds: UInt64
    /// Partial results that a later attempt repeated, and that were skipped.
    public var repeatedPieces: UInt64
    /// Commands that were parked because command ends requested too many within a minute.
    public var rateParked: UInt64
    public var waitingDispatches: Int
    public var snapshot: SnapshotFact
    /// Bytes that the log uses on disk.
    public var logBytes: UInt64
    /// Bytes that the log may use.
    public var mapBytes: UInt64
    public var freeBytes: UInt64
    /// Microseconds by which the last record is later than the clock; 0: it is not.
    public var clockBehind: Int64
    public var isStorageFull: Bool
}

extension Store {
    /// Durations of dispatches, from the arrival of the first of a batch until all were answered.
    public nonisolated var dispatchTimes: LatencyHistogram { statistics.dispatchTimes }

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
            commands: statistics.commands.withLock { $0 },
            lateEnds: load(statistics.lateEnds), repeatedPieces: load(statistics.repeatedPieces),
            rateParked: load(statistics.rateParked),
            waitingDispatches: inbox.count, snapshot: snapshots?.last ?? SnapshotFact(),
            logBytes: UInt64(use?.usedBytes ?? 0), mapBytes: UInt64(use?.mapBytes ?? 0),
            freeBytes: UInt64(clamping: headroom.diskFreeBytes), clockBehind: options.clock.behind(present.time),
            isStorageFull: headroom.refusal(freeBytesMin: options.freeBytesMin) != nil)
    }
}

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
    let commands = Mutex(CommandCounts())

    func note(_ outbox: Outbox<some NamedCommand>) {
        var counts = outbox.counts
        counts.areAllHeld = outbox.holdsAll
        commands.withLock { [counts] in $0 = counts }
    }
}

/// The numbers of open commands.
public struct CommandCounts: Sendable, Equatable {
    public var open = 0
    /// Commands with a current attempt.
    public var started = 0
    /// Commands that wait for a person.
    public var parked = 0
    public var held = 0
    /// Commands with their own due time, past or future.
    public var scheduled = 0
    /// Whether all commands are held, including future ones.
    public var areAllHeld = false
}

/// A lock-free histogram of durations; each bound is twice the previous one.
public final class LatencyHistogram: Sendable {
    /// Bounds in nanoseconds, from 16 us to 17 s; one more bucket counts longer durations.
    public static let bounds: [UInt64] = (14...34).map { 1 << $0 }

    private final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    private let cells = LatencyHistogram.bounds.map { _ in Cell() } + [Cell()]
    private let sum = Atomic<UInt64>(0)

    public init() {}

    @inline(__always)
    public func record(nanoseconds: UInt64, count: Int = 1) {
        guard count > 0 else { return }
        // The bucket is the number of bits of the duration, relative to the first bound.
        let bits = UInt64.bitWidth - (max(nanoseconds, 1) - 1).leadingZeroBitCount
        cells[min(max(bits - 14, 0), cells.count - 1)].count.add(UInt64(count), ordering: .relaxed)
        sum.wrappingAdd(nanoseconds.multipliedReportingOverflow(by: UInt64(count)).partialValue, ordering: .relaxed)
    }

    /// Counts by bound plus one for longer durations, and the sum of the durations in nanoseconds.
    public var values: (counts: [UInt64], nanoseconds: UInt64) {
        (cells.map { $0.count.load(ordering: .relaxed) }, sum.load(ordering: .relaxed))
    }
}
