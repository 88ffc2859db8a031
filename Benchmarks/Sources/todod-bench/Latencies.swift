import Histogram

/// Times of the same thing, in microseconds for readers.
struct Latencies {
    // Ten seconds, three digits: 60 KB.
    private var histogram = Histogram<UInt64>(highestTrackableValue: 10_000_000_000, numberOfSignificantValueDigits: .three)

    mutating func add(_ nanoseconds: [UInt64]) {
        for value in nanoseconds { histogram.record(min(value, 10_000_000_000)) }
    }

    func percentile(_ percentile: Double) -> Double {
        Double(histogram.valueAtPercentile(percentile)) / 1000
    }
}
