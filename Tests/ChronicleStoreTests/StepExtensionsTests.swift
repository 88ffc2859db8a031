import Testing

@testable import ChronicleStore

@Suite struct StepExtensionsTests {
    @Test func `of the steps that went on last it is known exactly when`() {
        var extensions = StepExtensions()
        #expect(extensions.latest(of: [1, 2]) == 0)
        let max = UInt64(StepExtensions.stepsMax)
        for step in 1...max { extensions.note(step, at: 100 + step) }
        extensions.note(1, at: 300)
        #expect(extensions.latest(of: [1]) == 300 && extensions.latest(of: [2, 3]) == 103)
        #expect(extensions.latest(of: [max + 1]) == 0)
    }

    @Test func `one more takes the place of the oldest, of which it is then known only how late it was at most`() {
        var extensions = StepExtensions()
        let max = UInt64(StepExtensions.stepsMax)
        for step in 1...max + 1 { extensions.note(step, at: 100 + step) }
        #expect(extensions.latest(of: [max + 1]) == 101 + max && extensions.latest(of: [1]) == 101)
        // Somebody who types without a pause never makes the others look late.
        for sequence in 1_000..<9_000 as Range<UInt64> { extensions.note(7, at: sequence) }
        #expect(extensions.latest(of: [1_000]) == 101)
        extensions.forget(after: 50)
        #expect(extensions.latest(of: [7]) == 50)
    }
}
