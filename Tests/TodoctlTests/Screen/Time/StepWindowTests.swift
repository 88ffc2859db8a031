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

    @Test func `back and on again leads to where one was, in a log of any length`() {
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

    @Test func `a step longer than what is read at once is read on`() {
        let steps = Array(repeating: UInt64(1), count: 1_000) + [1_001]
        #expect(walk(steps, from: 0, isNext: true) == 1_000)
    }
}
