import CoreMetrics
import Synchronization

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
