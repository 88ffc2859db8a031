import Dates
import Terminal
import TestSupport
import Testing
import TodoAPI

@testable import todoctl

@Suite struct TimeStripTests {
    private static let minute: Int64 = 60_000_000
    private static let monday: Int64 = 1_794_787_200_000_000

    /// Stretches with these numbers of records.
    private func activity(_ counts: [UInt64], minutes: Int64, first: UInt64 = 0) -> Activity {
        var sequences = [first]
        for count in counts { sequences.append((sequences.last ?? 0) + count) }
        return Activity(from: Self.monday, to: Self.monday + minutes * Self.minute, sequences: sequences)
    }

    @Test(arguments: [1, 7, 40, 80, 200])
    func `columns and records are converted to each other, whatever the activity is`(width: Int) {
        var random = SeededGenerator(UInt64(width))
        for _ in 0..<40 {
            let counts = (0..<Int.random(in: 1...300, using: &random)).map { _ in
                UInt64.random(in: 0...9, using: &random) < 6 ? 0 : UInt64.random(in: 0...5_000, using: &random)
            }
            let activity = activity(
                counts, minutes: .random(in: 1...100_000, using: &random), first: .random(in: 0...50, using: &random))
            let strip = TimeStrip(activity, last: activity.last + .random(in: 0...20, using: &random), width: width)
            #expect(strip.sequence(at: width - 1) == strip.last)
            #expect(strip.column(of: strip.first) == 0)
            var before = strip.first
            var sum: UInt64 = 0
            for column in 0..<width {
                let sequence = strip.sequence(at: column)
                #expect(sequence >= before && sequence <= strip.last)
                if strip.count(in: column) > 0 { #expect(strip.column(of: sequence) == column) }
                (before, sum) = (sequence, sum + strip.count(in: column))
            }
            #expect(sum == strip.last - strip.first)
            for _ in 0..<20 where strip.last > strip.first {
                let sequence = UInt64.random(in: strip.first...strip.last, using: &random)
                #expect(strip.sequence(at: strip.column(of: sequence)) >= sequence)
            }
        }
    }

    @Test func `without times each column stands for the same number of records`() {
        let strip = TimeStrip(nil, last: 800, width: 80)
        #expect(strip.sequence(at: 0) == 10 && strip.sequence(at: 39) == 400 && strip.column(of: 401) == 40)
        #expect(strip.densities.isEmpty && strip.calendar(.berlin, today: .saturday).isEmpty)
    }

    @Test func `a long time without records takes few columns and is labelled with its duration`() {
        let strip = TimeStrip(
            activity([5, 3] + Array(repeating: 0, count: 96) + [4, 6], minutes: 100 * 60), last: 18, width: 80)
        #expect(strip.gaps.map(\.columns.count) == [3])
        #expect(strip.gaps.first.map { TimeStrip.quiet($0.length) } == "4 days quiet")
        // The columns before and after it share the rest of the strip equally.
        #expect(strip.gaps.first.map { (36...41).contains($0.columns.lowerBound) } == true)
    }

    @Test func `a short gap relative to the whole is not shown as a gap`() {
        let strip = TimeStrip(
            activity([5, 0, 3, 4, 6, 1, 1, 2, 3, 1] + Array(repeating: 2, count: 90), minutes: 600), last: 206, width: 80)
        #expect(strip.gaps.isEmpty)
    }

    @Test func `a burst does not take the whole strip and has the highest density`() {
        let strip = TimeStrip(
            activity(Array(repeating: 1, count: 50) + [100_000] + Array(repeating: 1, count: 49), minutes: 100), last: 100_099,
            width: 80)
        let densities = strip.densities
        #expect(densities.max() == 8 && densities[10] >= 1 && densities[10] < 5)
        let burst = (strip.column(of: 50)...strip.column(of: 100_050)).count
        #expect((30...50).contains(burst))
    }

    @Test func `new records are in the last column`() {
        let activity = activity([1, 1, 1, 1], minutes: 4)
        let strip = TimeStrip(activity, last: 1_000, width: 40)
        #expect(strip.sequence(at: 39) == 1_000 && strip.column(of: 1_000) == 39 && strip.column(of: 2) < 39)
    }

    @Test func `days are labelled if there is space`() {
        let strip = TimeStrip(activity(Array(repeating: 3, count: 700), minutes: 7 * 1440), last: 2_100, width: 80)
        let text = strip.calendar(.berlin, today: .saturday).map(\.text).joined()
        #expect(text.hasPrefix("Mon 16"))
        #expect(["Tue 17", "Wed 18", "Sun 22"].allSatisfy(text.contains), "\(text)")
        #expect(Width.columns(text) <= 80)
    }

    @Test(arguments: [
        (Int64(0), Int64(9), [UInt64(3), 2]), (9, 0, [2, 3]), (.min, .max, [2, 3]), (0, 9, [2]),
    ])
    func `activity that goes back in time is rejected`(from: Int64, to: Int64, sequences: [UInt64]) {
        #expect(Activity(.init(epoch: 1, begin: from, end: to, sequences: sequences)) == nil)
    }

    @Test func `an empty log has a strip`() {
        let strip = TimeStrip(Activity(from: 0, to: 0, sequences: [0, 0]), last: 0, width: 80)
        #expect(strip.column(of: 0) == 0 && strip.sequence(at: 79) == 0)
    }

    @Test func `labels of a line do not overlap`() {
        var line = StripLine(width: 20)
        line.put("↑", " @65", .plain, at: 5)
        line.put("⚑", " cleanup", .tag, at: 7)
        line.put("⚑", " x", .tag, at: 19)
        line.put("⚑", " long name", .tag, at: 16)
        let text = line.spans.map(\.text).joined()
        #expect(text.hasPrefix("     ↑ @65") && Width.columns(text) <= 20 && text.hasSuffix("x⚑"))
        #expect(!text.contains("cleanup"))
    }
}

extension Day {
    fileprivate static let saturday = Day(number: 20_778)
}
