import Testing

@testable import todoctl

@Suite struct StepWindowTests {
    /// A log of these steps, from record 1 on.
    private func walk(_ steps: [UInt64], from moment: UInt64, isNext: Bool) -> UInt64 {
        var window = StepWindow()
        let last = UInt64(steps.count)
        for _ in 0..<10 {
            switch isNext ? window.next(moment, last: last) : window.previous(moment, base: 0) {
            case .moment(let found): return found
            case .read(let range):
                #expect(range.lowerBound >= 1 && range.upperBound <= last && range.count <= 256)
                window.take(range.map { ($0, steps[Int($0 - 1)]) })
            case .end(let step, let sequence):
                // As the log answers: the next record of another step, or the one before.
                if isNext { return (sequence...last).first { steps[Int($0 - 1)] != step }.map { $0 - 1 } ?? last }
                return (1...sequence).last { steps[Int($0 - 1)] != step } ?? 0
            }
        }
        Issue.record("It is read again and again.")
        return 0
    }

    @Test func `a step ends before the record of another one`() {
        let steps: [UInt64] = [1, 1, 3, 4, 4, 4]
        #expect(walk(steps, from: 0, isNext: true) == 2)
        #expect(walk(steps, from: 2, isNext: true) == 3)
        #expect(walk(steps, from: 3, isNext: true) == 6)
        #expect(walk(steps, from: 6, isNext: true) == 6)
        #expect(walk(steps, from: 6, isNext: false) == 3)
        #expect(walk(steps, from: 5, isNext: false) == 3)
        #expect(walk(steps, from: 2, isNext: false) == 0)
        #expect(walk(steps, from: 0, isNext: false) == 0)
    }

    @Test func `a step back and forth returns to the same moment, in a log of any length`() {
        var steps: [UInt64] = []
        for step in 0..<900 { steps += Array(repeating: UInt64(steps.count + 1), count: 1 + step % 3) }
        var moment = UInt64(steps.count)
        var way: [UInt64] = []
        for _ in 0..<900 where moment > 0 {
            way.append(moment)
            moment = walk(steps, from: moment, isNext: false)
        }
        #expect(moment == 0 && way.count == 900)
        for expected in way.reversed() {
            moment = walk(steps, from: moment, isNext: true)
            #expect(moment == expected)
        }
    }

    @Test func `the end of a step longer than one read is searched`() {
        let steps = [1] + Array(repeating: UInt64(2), count: 100_000) + [100_002]
        #expect(walk(steps, from: 1, isNext: true) == 100_001)
        #expect(walk(steps, from: 100_001, isNext: false) == 1)
        #expect(walk(Array(repeating: 1, count: 1_000), from: 500, isNext: true) == 1_000)
        #expect(walk(Array(repeating: 1, count: 1_000), from: 500, isNext: false) == 0)
    }

    @Test func `new records extend the window only if they are adjacent`() {
        var window = StepWindow()
        window.extend(by: [(1, 1)])
        #expect(!window.holds(1...1))
        window.take([(1, 1), (2, 1), (3, 3)])
        window.extend(by: [(5, 5)])
        #expect(window.holds(1...3) && !window.holds(1...5))
        window.extend(by: [(4, 3), (5, 5)])
        #expect(window.holds(1...5) && window.ends(in: 1...5) == [2, 4, 5])
    }
}
