import CoreMetrics
import Testing

@testable import LinuxService

@Suite struct MetricTests {
    let registry = MetricRegistry()

    @Test func `a counter has its sentence, its type and its total`() {
        registry.describe("todod_dispatches", "Accepted dispatches.\nSince the start.")
        let counter = Counter(label: "todod_dispatches", dimensions: [], factory: registry)
        counter.increment(by: 3)
        counter.increment()
        #expect(
            registry.text() == """
                # HELP todod_dispatches_total Accepted dispatches.\\nSince the start.
                # TYPE todod_dispatches_total counter
                todod_dispatches_total 4

                """)
    }

    @Test func `labels are sorted and escaped, names are cleaned`() {
        Counter(label: "todod.refusals", dimensions: [("z", "a\"b\\c\nd"), ("a-b", "é")], factory: registry).increment()
        #expect(
            registry.text() == """
                # TYPE todod_refusals_total counter
                todod_refusals_total{a_b="é",z="a\\"b\\\\c\\nd"} 1

                """)
    }

    @Test func `one label and dimension is one series`() {
        for _ in 0..<2 { Counter(label: "c", dimensions: [("x", "1")], factory: registry).increment() }
        Counter(label: "c", dimensions: [("x", "0")], factory: registry).increment()
        #expect(registry.text() == "# TYPE c_total counter\nc_total{x=\"0\"} 1\nc_total{x=\"1\"} 2\n")
    }

    @Test func `a gauge goes up and down and leaves with its user`() {
        let meter = Meter(label: "todod_connections", dimensions: [], factory: registry)
        meter.set(5)
        meter.decrement(by: 2)
        meter.increment(by: 0.5)
        #expect(registry.text() == "# TYPE todod_connections gauge\ntodod_connections 3.5\n")
        meter.destroy()
        #expect(registry.text() == "")
        Gauge(label: "todod_connections", dimensions: [], factory: registry).record(7)
        #expect(registry.text() == "# TYPE todod_connections gauge\ntodod_connections 7\n")
    }

    @Test func `times are a histogram in seconds, its buckets counting up`() {
        let timer = Timer(label: "todod_flush", dimensions: [("kind", "x")], factory: registry)
        timer.recordNanoseconds(50_000)
        timer.recordNanoseconds(250_001)
        timer.recordSeconds(60)
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(lines.first == "# TYPE todod_flush_seconds histogram")
        #expect(lines.contains("todod_flush_seconds_bucket{kind=\"x\",le=\"5e-05\"} 1"))
        #expect(lines.contains("todod_flush_seconds_bucket{kind=\"x\",le=\"0.00025\"} 1"))
        #expect(lines.contains("todod_flush_seconds_bucket{kind=\"x\",le=\"0.0005\"} 2"))
        #expect(lines.contains("todod_flush_seconds_bucket{kind=\"x\",le=\"10\"} 2"))
        #expect(lines.contains("todod_flush_seconds_bucket{kind=\"x\",le=\"+Inf\"} 3"))
        #expect(lines.contains("todod_flush_seconds_count{kind=\"x\"} 3"))
        #expect(lines.contains { $0.hasPrefix("todod_flush_seconds_sum{kind=\"x\"} 60.0003") })
        #expect(lines.count == MetricRegistry.timeBounds.count + 4)
    }

    @Test func `sizes are a histogram of powers of four`() {
        let recorder = Recorder(label: "todod_batch_records", dimensions: [], aggregate: true, factory: registry)
        recorder.record(64)
        recorder.record(65)
        #expect(registry.text().contains("todod_batch_records_bucket{le=\"64\"} 1\n"))
        #expect(registry.text().contains("todod_batch_records_bucket{le=\"256\"} 2\n"))
        #expect(registry.text().contains("todod_batch_records_sum 129\n"))
    }

    @Test func `a label with too many values costs a bounded memory`() {
        for value in 0..<(MetricRegistry.seriesMax + 50) {
            Counter(label: "c", dimensions: [("uid", "\(value)")], factory: registry).increment()
        }
        #expect(registry.text().split(separator: "\n").count == MetricRegistry.seriesMax + 1)
    }

    @Test func `every exit status has a number of sysexits and a sentence`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 64, 65, 70, 74, 75, 77, 78])
        #expect(Set(ExitStatus.allCases.map(\.sentence)).count == ExitStatus.allCases.count)
    }
}
