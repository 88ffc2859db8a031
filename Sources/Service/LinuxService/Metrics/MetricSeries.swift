import CoreMetrics
import Synchronization

/// The values of one metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes its lines.
    func render(name: String, labels: MetricLabels, into text: inout String)
}

/// A number that only grows.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler, MetricSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        increment(by: Double(amount))
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount > 0 else { return }
        value.withLock { $0 += amount }
    }

    func reset() {
        value.withLock { $0 = 0 }
    }

    func render(name: String, labels: MetricLabels, into text: inout String) {
        text += "\(name)\(labels.text()) \(MetricName.number(value.withLock { $0 }))\n"
    }
}

/// A number that goes up and down.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let value = Mutex(0.0)

    func set(_ value: Int64) {
        set(Double(value))
    }

    func set(_ value: Double) {
        self.value.withLock { $0 = value }
    }

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        value.withLock { $0 -= amount }
    }

    func record(_ value: Int64) {
        set(Double(value))
    }

    func record(_ value: Double) {
        set(value)
    }

    func render(name: String, labels: MetricLabels, into text: inout String) {
        text += "\(name)\(labels.text()) \(MetricName.number(value.withLock { $0 }))\n"
    }
}

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
