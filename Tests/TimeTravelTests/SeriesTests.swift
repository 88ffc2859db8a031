import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing

@testable import TimeTravel

@Suite struct SeriesTests {
    private static let texts = [
        "counter.count", "count(todos.items)", "count(t in todos.items: t.completed)", "sum(t in todos.items: t.priority) * 10",
        "max(t in todos.items: t.id)", "now / 1000", "100 / counter.count",
    ]

    private func points(_ query: SeriesQuery, of history: History<App>) async throws -> [SeriesPoint] {
        var cursor = try await history.series(query)
        var points: [SeriesPoint] = []
        while cursor.hasMore {
            let page = try await history.page(of: &cursor)
            #expect(page.count <= Limits.pageRecordsMax)
            points += page
        }
        return points
    }

    private func point(_ expression: Expression, _ sequence: UInt64, of sample: SampleLog) -> SeriesPoint {
        let time = sample.headers[Int(sequence) - 1].time
        var evaluation = expression.evaluation(
            in: StateReading<App>(sample.states[Int(sequence)]), facts: RecordFacts(time: time))
        _ = evaluation.advance(steps: .max)
        return SeriesPoint(sequence: sequence, time: time, value: evaluation.number)
    }

    @Test func `each point of a series has the value of its state, at every interval, as in a linear walk`() async throws {
        let queries = QueryThread()
        for seed in 0..<40 as Range<UInt64> {
            try await withTemporaryDirectory { directory in
                let sample = try SampleLog.random(seed, records: seed % 4 == 0 ? 700 : 50)
                for sequence in stride(from: 9, to: sample.head, by: 17) { try sample.leaveSnapshot(at: sequence, in: directory) }
                let history = sample.history(seed % 2 == 0 ? directory : nil, queries: queries)
                var dice = SeededGenerator(~seed)
                let expression = try Expression(
                    number: Self.texts.randomElement(using: &dice) ?? "", of: App.shape, on: .state)
                let from = UInt64.random(in: 1...sample.head / 2, using: &dice)
                let to = UInt64.random(in: from...sample.head, using: &dice)
                let count = UInt64.random(in: 1...9, using: &dice)
                // Times differ by a thousandth of a second, so an hour begins where the clock is set to one.
                let hour = Int64.random(in: 1...40, using: &dice) * 1_000 + 500
                let clock = LocalClock([.init(from: 0, microseconds: -hour)])
                let paces: [(SeriesQuery.Pace, (UInt64) -> Bool)] = [
                    (.records(count), { $0 % count == 0 }),
                    (.steps, { $0 < sample.head && sample.headers[Int($0)].step != sample.headers[Int($0) - 1].step }),
                    (
                        .time(clock, .hour),
                        { sequence in
                            guard sequence < sample.head else { return false }
                            return sample.headers[Int(sequence) - 1].time < hour && sample.headers[Int(sequence)].time >= hour
                        }
                    ),
                ]
                for (pace, ends) in paces {
                    let expected = (from...to).filter { $0 == to || ends($0) }.map { point(expression, $0, of: sample) }
                    let query = SeriesQuery(expression, every: pace, from: .sequence(from), to: .sequence(to))
                    #expect(try await points(query, of: history) == expected, "\(seed): \(expression.text) \(pace)")
                }
            }
        }
    }

    @Test func `distant points are computed from snapshots, without folding the records between them`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .small))
            for _ in 0..<1_000 { try sample.dispatch(Array(repeating: .counter(.increment), count: 100)) }
            for sequence in stride(from: 1_000, to: sample.head, by: 1_000) {
                try sample.leaveSnapshot(at: sequence, in: directory)
            }
            let history = sample.history(directory)
            let expression = try Expression(number: "counter.count", of: App.shape, on: .state)
            let found = try await points(SeriesQuery(expression, every: .records(25_500)), of: history)
            #expect(found.map(\.value) == [25_500, 51_000, 76_500, 100_000])
            #expect(history.work.folded < 4_000)
        }
    }

    @Test func `the series of an empty log has no points`() async throws {
        let expression = try Expression(number: "counter.count", of: App.shape, on: .state)
        for pace in [.steps, .records(1), .time(LocalClock(), .day)] as [SeriesQuery.Pace] {
            #expect(try await points(SeriesQuery(expression, every: pace), of: SampleLog().history()).isEmpty)
        }
    }

    @Test func `days and hours follow local time, including changes of daylight saving time`() async throws {
        // 2026 in Berlin: forward at 1:00 UTC of 29 March, back at 1:00 UTC of 25 October.
        let hour: Int64 = 3_600_000_000
        let (march, october) = (Int64(1_774_746_000) * 1_000_000, Int64(1_792_890_000) * 1_000_000)
        let berlin: [LocalClock.Offset] = [
            .init(from: 0, microseconds: hour), .init(from: march, microseconds: 2 * hour),
            .init(from: october, microseconds: hour),
        ]
        let cases: [(LocalClock.Stretch, [LocalClock.Offset], Int64, [Int64])] = [
            // Midnights from 28 March 12:00 on: 23:00 UTC, and 23 hours later.
            (.day, berlin, march - 13 * hour, [march - 2 * hour, march + 21 * hour, march + 45 * hour]),
            // The day of the change back has 25 hours.
            (.day, berlin, october - 4 * hour, [october - 3 * hour, october + 22 * hour]),
            (.hour, berlin, march - hour / 2, [march, march + hour]),
            // 2:00 to 3:00 comes twice.
            (.hour, berlin, october - 1, [october, october + hour]),
            // A change back by half an hour makes an hour longer.
            (
                .hour, [.init(from: 0, microseconds: hour), .init(from: 9 * hour, microseconds: hour / 2)], 9 * hour - 1,
                [
                    9 * hour + hour / 2
                ]
            ),
            // A skipped day: local time jumps from the end of one day to the beginning of the day after the next.
            (
                .day, [.init(from: 0, microseconds: 0), .init(from: 48 * hour, microseconds: 24 * hour)], 47 * hour,
                [
                    48 * hour, 72 * hour,
                ]
            ),
            // A change back at midnight makes a day of 25 hours.
            (.day, [.init(from: 0, microseconds: 0), .init(from: 48 * hour, microseconds: -hour)], 47 * hour, [49 * hour]),
            (.day, [], 1, [24 * hour]),
        ]
        for (stretch, offsets, begin, ends) in cases {
            // Two records around each of them. The last one of each stretch has a point.
            var sample = SampleLog()
            let times = [begin] + ends.flatMap { [$0 - 1, $0] }
            for time in Set(times).sorted() { try sample.append(.counter(.increment), at: time) }
            let expression = try Expression(number: "counter.count", of: App.shape, on: .state)
            let found = try await points(
                SeriesQuery(expression, every: .time(LocalClock(offsets), stretch)), of: sample.history())
            #expect(found.map(\.time) == Set(ends.map { $0 - 1 } + [ends[ends.count - 1]]).sorted(), "\(stretch) \(ends)")
        }
    }

    @Test func `a value beyond the range of exact numbers is missing`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.counter(.increment)])
        for (text, value) in [
            ("9007199254740990 + counter.count", 9_007_199_254_740_991), ("9007199254740991 + counter.count", nil),
        ] as [(String, Int64?)] {
            let expression = try Expression(number: text, of: App.shape, on: .state)
            #expect(try await points(SeriesQuery(expression, every: .steps), of: sample.history()).map(\.value) == [value])
        }
    }
}

extension SampleLog {
    /// Appends one record with a time.
    mutating func append(_ action: App.Action, at time: Int64) throws {
        var flush = Flush(after: log.head)
        let header = RecordHeader(sequence: flush.sequence + 1, time: time, origin: 1000, step: flush.sequence + 1)
        flush.stage(header) { action.encode(into: &$0) }
        var next = state
        _ = App.reduce(&next, action, Context(time: time, origin: 1000))
        try log.append(flush)
        states.append(next)
        headers.append(header)
        actions.append(action)
    }
}
