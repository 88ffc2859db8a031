import Synchronization

/// How many things took how long; each bound is twice the one before.
///
/// Written by one thread or several, read by any, without a lock: one addition in the place that the time has.
public final class LatencyHistogram: Sendable {
    /// The bounds in nanoseconds, from 16 us to 17 s; what takes longer has a place behind them.
    public static let bounds: [UInt64] = (14...34).map { 1 << $0 }

    private final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    private let cells = LatencyHistogram.bounds.map { _ in Cell() } + [Cell()]
    private let sum = Atomic<UInt64>(0)

    /// Begins with nothing.
    public init() {}

    /// Counts some that took as long.
    @inline(__always)
    public func record(nanoseconds: UInt64, count: Int = 1) {
        guard count > 0 else { return }
        // The number of the last bit that is needed to count up to the time, from that of the first bound on.
        let bits = UInt64.bitWidth - (max(nanoseconds, 1) - 1).leadingZeroBitCount
        cells[min(max(bits - 14, 0), cells.count - 1)].count.add(UInt64(count), ordering: .relaxed)
        sum.wrappingAdd(nanoseconds.multipliedReportingOverflow(by: UInt64(count)).partialValue, ordering: .relaxed)
    }

    /// How many there were for each bound, and behind the last; and the sum of their times in nanoseconds.
    public var values: (counts: [UInt64], nanoseconds: UInt64) {
        (cells.map { $0.count.load(ordering: .relaxed) }, sum.load(ordering: .relaxed))
    }
}
