import DispatchHistory
import TestSupport
import Testing

/// The fast check agrees with an exhaustive search over all orders of small histories.
@Suite struct ExhaustiveTests {
    @Test func `the check finds exactly those of thousands of small histories that no order explains`() {
        var generator = SeededGenerator(4)
        var counts = [true: 0, false: 0]
        for _ in 0..<20_000 {
            let (history, log) = Self.history(&generator)
            let isLinearizable = Self.hasOrder(history.dispatches, log.map(\.key))
            let found = history.contradictions(with: log)
            counts[isLinearizable, default: 0] += 1
            guard found.isEmpty == isLinearizable else {
                Issue.record("\(history.dispatches) \(log) \(found)")
                return
            }
        }
        // Otherwise one of the two cases would not be tested.
        #expect(counts.values.allSatisfy { $0 > 1_000 }, "\(counts)")
    }

    /// Up to five dispatches at random times, most of them in the log at random positions.
    private static func history(_ generator: inout SeededGenerator) -> (DispatchHistory, [LoggedRecord]) {
        var history = DispatchHistory()
        let count = Int.random(in: 1...5, using: &generator)
        let keys = (0..<count).map { "\($0)" }
        let log = keys.filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }.shuffled(using: &generator)
        for key in keys {
            let asked = Int64.random(in: 0..<20, using: &generator)
            let answered = asked + Int64.random(in: 1..<12, using: &generator)
            let place = log.firstIndex(of: key).map { Int64($0 + 1) }
            let kind = Int.random(in: 0..<16, using: &generator)
            let outcome: SeenDispatch.Outcome =
                if kind < 3 || place == nil && kind < 15 { .unknown } else if kind == 15 { .refused } else {
                    .acknowledged([place ?? 1], isDuplicate: false)
                }
            history.dispatches.append(SeenDispatch(key, [.init(asked, answered, outcome)]))
        }
        return (history, log.enumerated().map { LoggedRecord(Int64($0 + 1), $1) })
    }

    /// Whether the dispatches can have happened one after the other, each between its call and its answer, and led to the log.
    private static func hasOrder(_ dispatches: [SeenDispatch], _ log: [String?], done: Int = 0) -> Bool {
        // Dispatches that remain may not have happened, unless they were acknowledged.
        if done == log.count {
            return dispatches.allSatisfy { if case .acknowledged = $0.attempts[0].outcome { false } else { true } }
        }
        // The next dispatch must have been called before any other remaining one was answered.
        return dispatches.indices.contains { index in
            let attempt = dispatches[index].attempts[0]
            guard dispatches[index].key == log[done], attempt.outcome != .refused else { return false }
            if case .acknowledged(let sequences, _) = attempt.outcome, sequences != [Int64(done + 1)] { return false }
            var others = dispatches
            others.remove(at: index)
            let isPossible = others.allSatisfy { other in
                guard case .acknowledged = other.attempts[0].outcome else { return true }
                return attempt.asked <= other.attempts[0].answered
            }
            return isPossible && hasOrder(others, log, done: done + 1)
        }
    }
}
