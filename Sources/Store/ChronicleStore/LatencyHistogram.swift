import Synchronization

/// A lock-free histogram of durations; each bound is twice the previous one.
public final class LatencyHistogram: Sendable {
    /// Bounds in nanoseconds, from 16 us to 17 s; one more bucket counts longer durations.
    public static let bounds: [UInt64] = (14...34).map { 1 << $0 }

    private final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    private let cells = LatencyHistogram.bounds.map { _ in Cell() } + [Cell()]
    private let sum = Atomic<UInt64>(0)

    /// Creates an empty histogram.
    public init() {}

    /// Adds `count` values of one duration.
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
