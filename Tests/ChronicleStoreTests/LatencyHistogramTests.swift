import Chronicle
import ChronicleTesting
import FeatureCounter
import Testing

@testable import ChronicleStore

@Suite struct LatencyHistogramTests {
    @Test func `a time is counted at the first bound that is not below it`() {
        let histogram = LatencyHistogram()
        let bounds = LatencyHistogram.bounds
        for time in [0, 1, bounds[0], bounds[0] + 1, bounds[3], bounds[3] + 1, bounds[20], bounds[20] + 1, .max] {
            histogram.record(nanoseconds: time)
        }
        histogram.record(nanoseconds: bounds[5], count: 7)
        histogram.record(nanoseconds: bounds[5], count: 0)
        let counts = histogram.values.counts
        #expect(counts.count == bounds.count + 1)
        #expect(counts[0] == 3 && counts[1] == 1 && counts[3] == 1 && counts[4] == 1 && counts[5] == 7)
        #expect(counts[20] == 1 && counts[21] == 2)
        #expect(counts.reduce(0, +) == 16)
    }
}
