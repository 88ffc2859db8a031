import CoreMetrics
import Synchronization

/// Keeps the daemon's metrics and writes them in the Prometheus text format.
///
/// At most 1,000 series are kept, so that a label that takes too many values costs a bounded memory; what comes
/// later is counted nowhere. Times are in seconds and end in `_seconds`, counters end in `_total`.
package final class MetricRegistry: MetricsFactory {
    /// The most series that are kept.
    static let seriesMax = 1_000
    /// The upper bounds of times, in seconds: from 50 us, less than one flush of a disk, to 10 s.
    static let timeBounds = [
        0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// The upper bounds of sizes and counts: powers of four.
    static let sizeBounds: [Double] = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576, 4_194_304]

    private struct MetricFamily: Sendable {
        var kind: String
        var series: [MetricLabels: any MetricSeries] = [:]
    }

    private struct Contents: Sendable {
        var families: [String: MetricFamily] = [:]
        var sentences: [String: String] = [:]
        var seriesCount = 0
    }

    private let contents = Mutex(Contents())

    /// Begins without metrics.
    package init() {}

    /// Says in one sentence what the metric with a label is; it stands above its values.
    package func describe(_ label: String, _ sentence: String) {
        contents.withLock { $0.sentences[MetricName.cleaned(label, colons: true)] = sentence }
    }

    /// Everything in the Prometheus text format, in the order of the names.
    package func text() -> String {
        let (families, sentences) = contents.withLock { ($0.families, $0.sentences) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let sentence = Self.sentence(name, sentences) {
                let line = sentence.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
                text +=
                    "# HELP \(name) \(line.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n"))\n"
            }
            text += "# TYPE \(name) \(family.kind)\n"
            let series = family.series.map { (labels: $0.key, values: $0.value) }
            for one in series.sorted(by: { $0.labels.text() < $1.labels.text() }) {
                one.values.render(name: name, labels: one.labels, into: &text)
            }
        }
        return text
    }

    private static func sentence(_ name: String, _ sentences: [String: String]) -> String? {
        if let sentence = sentences[name] { return sentence }
        for ending in ["_total", "_seconds"] where name.hasSuffix(ending) {
            return sentences[String(name.dropLast(ending.count))]
        }
        return nil
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(MetricName.name(label, ending: "_total"), "counter", dimensions) { CounterSeries() }
    }

    /// The counter of fractions with a label and dimensions.
    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        series(MetricName.name(label, ending: "_total"), "counter", dimensions) { CounterSeries() }
    }

    /// The gauge with a label and dimensions.
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(MetricName.cleaned(label, colons: true), "gauge", dimensions) { GaugeSeries() }
    }

    /// The histogram of sizes with a label and dimensions; not aggregated, a gauge.
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        let name = MetricName.cleaned(label, colons: true)
        guard aggregate else { return series(name, "gauge", dimensions) { GaugeSeries() } }
        return series(name, "histogram", dimensions) { HistogramSeries(bounds: Self.sizeBounds) }
    }

    /// The histogram of times with a label and dimensions.
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(MetricName.name(label, ending: "_seconds"), "histogram", dimensions) { HistogramSeries(bounds: Self.timeBounds) }
    }

    /// Sets a histogram of times that somebody else has counted.
    ///
    /// - Parameters:
    ///   - label: Its name; times are in seconds.
    ///   - dimensions: Its labels.
    ///   - bounds: The upper bounds, rising, the same at each call.
    ///   - counts: How many were at most as long as each bound and longer than the one before, then how many were longer.
    ///   - sum: All times together.
    package func setTimes(
        _ label: String, dimensions: [(String, String)] = [], bounds: [Double], counts: [UInt64], sum: Double
    ) {
        series(MetricName.name(label, ending: "_seconds"), "histogram", dimensions) { HistogramSeries(bounds: bounds) }
            .set(counts: counts, sum: sum)
    }

    /// Keeps the counter: its total stays true after its last user is gone.
    func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps the counter: its total stays true after its last user is gone.
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Removes the gauge: a value that nobody sets any more is wrong.
    func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    /// Removes a gauge; a histogram is kept, like a counter.
    func destroyRecorder(_ handler: any RecorderHandler) { remove(handler as? GaugeSeries) }
    /// Keeps the histogram: its counts stay true after its last user is gone.
    func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: MetricSeries>(
        _ name: String, _ kind: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series {
        let labels = MetricLabels(dimensions)
        return contents.withLock { contents in
            var family = contents.families[name] ?? MetricFamily(kind: kind)
            precondition(family.kind == kind, "The metric \(name) is a \(family.kind) and can't be a \(kind) as well.")
            if let series = family.series[labels] as? Series { return series }
            let series = make()
            guard contents.seriesCount < Self.seriesMax else { return series }
            contents.seriesCount += 1
            family.series[labels] = series
            contents.families[name] = family
            return series
        }
    }

    private func remove(_ handler: AnyObject?) {
        guard let handler else { return }
        contents.withLock { contents in
            for (name, family) in contents.families where family.kind == "gauge" {
                guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
                contents.families[name]?.series[labels] = nil
                contents.seriesCount -= 1
                if family.series.count == 1 { contents.families[name] = nil }
                return
            }
        }
    }
}
