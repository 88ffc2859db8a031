import Testing
import TodoAPI

@testable import ChronicleDaemon

@Suite struct MetricTests {
    @Test func `a counter has its help text, its type and its total`() {
        var metrics = MetricText(program: "todo-d")
        metrics.total("dispatches", 4, "Accepted dispatches.")
        #expect(
            metrics.text == """
                # HELP todo_d_dispatches_total Accepted dispatches.
                # TYPE todo_d_dispatches_total counter
                todo_d_dispatches_total 4

                """)
    }

    @Test func `names and labels are sorted, and label values are escaped`() {
        var metrics = MetricText(program: "d")
        metrics.total("refusals", 1, "Refused.", ["z": "a\"b\\c\r\nd\"\u{301}", "a": "é"])
        metrics.gauge("bytes", 3.5, "Bytes.", ["x": "1"])
        metrics.gauge("bytes", -7, "Bytes.", ["x": "0"])
        #expect(
            metrics.text == """
                # HELP d_bytes Bytes.
                # TYPE d_bytes gauge
                d_bytes{x="0"} -7
                d_bytes{x="1"} 3.5
                # HELP d_refusals_total Refused.
                # TYPE d_refusals_total counter
                d_refusals_total{a="é",z="a\\"b\\\\c\r\\nd\\"\u{301}"} 1

                """)
    }

    @Test func `durations are a histogram in seconds with cumulative buckets`() {
        var metrics = MetricText(program: "d")
        metrics.times("flush", bounds: [0.00005, 1], counts: [1, 2, 1], sum: 60.25, "Flushes.", ["kind": "x"])
        #expect(
            metrics.text == """
                # HELP d_flush_seconds Flushes.
                # TYPE d_flush_seconds histogram
                d_flush_seconds_bucket{kind="x",le="5e-05"} 1
                d_flush_seconds_bucket{kind="x",le="1"} 3
                d_flush_seconds_bucket{kind="x",le="+Inf"} 4
                d_flush_seconds_sum{kind="x"} 60.25
                d_flush_seconds_count{kind="x"} 4

                """)
    }

    @Test func `every exit status has a number of sysexits and a description`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 64, 65, 70, 74, 75, 77, 78])
        #expect(Set(ExitStatus.allCases.map(\.sentence)).count == ExitStatus.allCases.count)
    }
}
