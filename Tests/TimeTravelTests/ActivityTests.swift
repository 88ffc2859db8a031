import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import FeatureApp
import FeatureCounter
import TestSupport
import Testing

@testable import TimeTravel

@Suite struct ActivityTests {
    /// A log whose records have random bursts and gaps.
    private func uneven(_ dice: inout SeededGenerator, in log: any ActionLog = InMemoryActionLog()) throws -> SampleLog {
        var sample = SampleLog(log)
        var time = Int64.random(in: 0...5_000, using: &dice)
        for _ in 0..<Int.random(in: 1...200, using: &dice) {
            time += [1, 1, 2, 7, 900, 40_000].randomElement(using: &dice) ?? 1
            try sample.append(.counter(.increment), at: time)
        }
        return sample
    }

    /// The ends of stretches and the records before each, from a linear count.
    private func counted(
        _ headers: some Collection<RecordHeader>, before: UInt64, from: Int64, to: Int64, _ count: Int
    ) -> Activity {
        let ends = (1...count).map { from + (to - from) * Int64($0) / Int64(count) }
        let counts = ends.dropLast().map { end in UInt64(headers.count { $0.time <= end }) } + [UInt64(headers.count)]
        return Activity(from: from, to: to, sequences: [before] + counts.map { before + $0 })
    }

    @Test func `the activity of each stretch equals a linear count of its records`() async throws {
        for seed in 0..<200 as Range<UInt64> {
            var dice = SeededGenerator(seed)
            let sample = try uneven(&dice)
            let (history, count) = (sample.history(), [1, 2, 3, 7, 100, 1_000].randomElement(using: &dice) ?? 1)
            let times = sample.headers.map(\.time)
            let whole = try await history.activity(stretches: count)
            #expect(whole == counted(sample.headers, before: 0, from: times[0], to: times[times.count - 1], count), "\(seed)")
            // Between two records.
            let first = UInt64.random(in: 1...sample.head, using: &dice)
            let last = UInt64.random(in: first...sample.head, using: &dice)
            let piece = try await history.activity(from: .sequence(first), to: .sequence(last), stretches: count)
            let headers = sample.headers[Int(first) - 1..<Int(last)]
            let (from, to) = (times[Int(first) - 1], times[Int(last) - 1])
            #expect(piece == counted(headers, before: first - 1, from: from, to: to, count), "\(seed): \(first)...\(last)")
            // Between two times without records.
            let begin = Int64.random(in: times[0] - 100...times[times.count - 1], using: &dice)
            let end = Int64.random(in: begin...times[times.count - 1] + 100, using: &dice)
            let span = try await history.activity(from: .time(begin), to: .time(end), stretches: count)
            let between = sample.headers.filter { (begin...end).contains($0.time) }
            let before = UInt64(times.count { $0 < begin })
            #expect(span == counted(between, before: before, from: begin, to: end, count), "\(seed): \(begin)...\(end)")
            #expect(history.work.folded == 0)
        }
    }

    @Test func `an empty log has no activity and no time`() async throws {
        let activity = try await SampleLog().history().activity(stretches: 4)
        #expect(activity == Activity(from: 0, to: 0, sequences: [0, 0, 0, 0, 0]))
    }

    @Test func `a range between the extreme times can be divided`() async throws {
        var sample = SampleLog()
        for time in [0, 1, .max - 1, .max] as [Int64] { try sample.append(.counter(.increment), at: time) }
        let history = sample.history()
        #expect(try await history.activity(stretches: 2) == Activity(from: 0, to: .max, sequences: [0, 2, 4]))
        let whole = try await history.activity(from: .time(.min), to: .time(.max), stretches: 4)
        #expect(whole == Activity(from: .min, to: .max, sequences: [0, 0, 0, 2, 4]))
        #expect(try await history.activity(from: .time(.min), stretches: 1_000).sequences.last == 4)
    }

    @Test func `a range that ends before it begins is refused`() async throws {
        var sample = SampleLog()
        for time in [10, 20, 30] as [Int64] { try sample.append(.counter(.increment), at: time) }
        let history = sample.history()
        await #expect(throws: StoreError.emptyRange(from: 3, to: 1)) {
            try await history.activity(from: .sequence(3), to: .sequence(1), stretches: 2)
        }
        await #expect(throws: StoreError.futureSequence(head: 3)) {
            try await history.activity(to: .sequence(4), stretches: 2)
        }
        // There are no later records yet.
        let none = try await history.activity(from: .time(31), stretches: 2)
        #expect(none == Activity(from: 31, to: 31, sequences: [3, 3, 3]))
    }

    @Test func `the activity of a compacted log begins after its base`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            var sample = SampleLog(log)
            for time in stride(from: 1_000, through: 9_000, by: 1_000) as StrideThrough<Int64> {
                try sample.append(.counter(.increment), at: time)
            }
            let history = sample.history()
            let past = try await history.state(at: .sequence(4))
            try log.compact(to: past, replaced: { history.begin(with: past) })
            let activity = try await history.activity(stretches: 4)
            #expect(activity == Activity(from: 5_000, to: 9_000, sequences: [4, 6, 7, 8, 9]))
            let earlier = try await history.activity(from: .time(1_000), stretches: 2)
            #expect(earlier == Activity(from: 1_000, to: 9_000, sequences: [4, 5, 9]))
            let rest = try await history.state(at: .sequence(9))
            try log.compact(to: rest, replaced: { history.begin(with: rest) })
            #expect(try await history.activity(stretches: 2) == Activity(from: 9_000, to: 9_000, sequences: [9, 9, 9]))
        }
    }
}
