import CoreMetrics
import Synchronization

/// How often values lay below each of a few bounds; times are kept in seconds.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    private struct Tally: Sendable {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let tally: Mutex<Tally>

    /// Takes the upper bounds, rising; everything above the last is counted too.
    init(bounds: [Double]) {
        self.bounds = bounds
        tally = Mutex(Tally(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) {
        record(Double(duration) / 1e9)
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        tally.withLock { tally in
            tally.counts[place] += 1
            tally.sum += value
        }
    }

    /// Puts what somebody else has counted in the place of what was here.
    func set(counts: [UInt64], sum: Double) {
        precondition(counts.count == bounds.count + 1, "A histogram of \(bounds.count) bounds takes one count more than that.")
        tally.withLock { $0 = Tally(counts: counts, sum: sum) }
    }

    func render(name: String, labels: MetricLabels, into text: inout String) {
        let tally = tally.withLock { $0 }
        var total: UInt64 = 0
        for (bound, count) in zip(bounds + [.infinity], tally.counts) {
            total += count
            text += "\(name)_bucket\(labels.text(with: "le=\"\(MetricName.number(bound))\"")) \(total)\n"
        }
        text += "\(name)_sum\(labels.text()) \(MetricName.number(tally.sum))\n"
        text += "\(name)_count\(labels.text()) \(total)\n"
    }
}
