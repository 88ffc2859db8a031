import Testing

@testable import ChronicleStore

@Suite struct ContinuationsTests {
    @Test func `the last record of each recently extended step is known exactly`() {
        var continuations = Continuations()
        #expect(continuations.latest(of: [1, 2]) == 0)
        let max = UInt64(Continuations.stepsMax)
        for step in 1...max { continuations.note(step, at: 100 + step) }
        continuations.note(1, at: 300)
        #expect(continuations.latest(of: [1]) == 300 && continuations.latest(of: [2, 3]) == 103)
        #expect(continuations.latest(of: [max + 1]) == 0)
    }

    @Test func `a further step evicts the oldest, for which only an upper bound remains`() {
        var continuations = Continuations()
        let max = UInt64(Continuations.stepsMax)
        for step in 1...max + 1 { continuations.note(step, at: 100 + step) }
        #expect(continuations.latest(of: [max + 1]) == 101 + max && continuations.latest(of: [1]) == 101)
        // Extending one step often does not raise the bound for the others.
        for sequence in 1_000..<9_000 as Range<UInt64> { continuations.note(7, at: sequence) }
        #expect(continuations.latest(of: [1_000]) == 101)
        continuations.forget(after: 50)
        #expect(continuations.latest(of: [7]) == 50)
    }
}
