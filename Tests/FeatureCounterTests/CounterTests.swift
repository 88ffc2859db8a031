import Chronicle
import ChronicleTesting
import FeatureCounter
import Testing

@Suite struct CounterTests {
    static let actions: [Counter.Action] = [
        .increment, .decrement, .reset, .shift(by: 5), .shift(by: -Int64.exactMax), .shift(by: Int64.exactMax),
    ]

    func reduced(_ state: Counter.State, _ actions: Counter.Action...) -> Int64 {
        var state = state
        for action in actions { #expect(Counter.reduce(&state, action, .test).isEmpty) }
        return state.count
    }

    @Test func `the counter starts at zero`() {
        #expect(Counter.State().count == 0)
    }

    @Test(arguments: -100...100 as ClosedRange<Int64>)
    func `any count can be incremented, decremented and reset`(count: Int64) {
        let state = Counter.State(count: count)
        #expect(reduced(state, .increment) == count + 1)
        #expect(reduced(state, .decrement) == count - 1)
        #expect(reduced(state, .increment, .increment, .decrement) == count + 1)
        #expect(reduced(state, .reset) == 0)
    }

    @Test func `counting beyond the limits is refused`() throws {
        let top = Counter.State(count: 9_007_199_254_740_991)
        let bottom = Counter.State(count: -9_007_199_254_740_991)
        #expect(throws: Counter.refusal(.counterAtMaximum, "the counter stands at its maximum, 9007199254740991")) {
            try Counter.prepare(.increment, top, .test)
        }
        #expect(throws: Counter.refusal(.counterAtMinimum, "the counter stands at its minimum, -9007199254740991")) {
            try Counter.prepare(.decrement, bottom, .test)
        }
        #expect(try Counter.prepare(.decrement, top, .test) == [.decrement])
        #expect(try Counter.prepare(.increment, bottom, .test) == [.increment])
        #expect(try Counter.prepare(.increment, Counter.State(count: top.count - 1), .test) == [.increment])
        #expect(try Counter.prepare(.reset, top, .test) == [.reset])
    }

    @Test(arguments: [.max, .min, 9_007_199_254_740_991, -9_007_199_254_740_991] as [Int64])
    func `the fold never traps and never leaves the range`(count: Int64) {
        for action in Self.actions {
            let result = reduced(Counter.State(count: count), action)
            #expect(result == count || result.magnitude <= Int64.exactMax.magnitude)
        }
        #expect(reduced(Counter.State(count: Int64.exactMax), .increment) == Int64.exactMax)
        #expect(reduced(Counter.State(count: -Int64.exactMax), .decrement) == -Int64.exactMax)
    }

    @Test(arguments: [(5, "positive"), (0, "zero"), (-5, "negative")] as [(Int64, String)])
    func `the view has the sign`(count: Int64, sign: String) {
        #expect(Counter.view(of: Counter.State(count: count)) == ["count": .int(count), "sign": .text(sign)])
    }

    @Test func `actions have a name on the wire and a number in the log`() throws {
        #expect(Counter.Action.increment.value == ["increment": [:]])
        #expect(Counter.Action.increment.canonicalBytes == [5, 0])
        #expect(Counter.Action.shift(by: 3).canonicalBytes == [17, 2, 4, 6])
        #expect(Counter.Action.shift(by: 3).value == ["shift": ["by": 3]])
        #expect(throws: ValueMismatch("double", "there is no such action")) { try Counter.Action(["double": [:]]) }
        #expect(throws: ValueMismatch("reset.to", "there is no such field")) { try Counter.Action(["reset": ["to": 1]]) }
        for bytes in [[], [21, 0], [17, 0], [5, 1, 0], [5, 0, 9, 0], [5, 0, 5, 0], [4, 1]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Counter.Action(canonical: bytes) }
        }
    }

    @Test func `the laws of a feature hold`() {
        let states = [0, 1, -1, Int64.exactMax, -Int64.exactMax].map { Counter.State(count: $0) }
        checkLaws(of: Counter.self, states: states, actions: Self.actions)
    }

    @Test func `a count beyond the limits is an invalid state`() {
        let state = Counter.State(count: Int64.exactMax + 1)
        #expect(throws: ValueMismatch.self) { try Counter.State(state.value) }
        #expect(throws: CanonicalError.self) { try Counter.State(canonical: state.canonicalBytes) }
    }

    @Test func `changing the count is one change`() {
        let old = Counter.State(count: 1)
        let new = Counter.State(count: 2)
        #expect(
            Counter.changes(from: old, to: new, limit: 1) == [Change(path: "", kind: .set, old: ["count": 1], new: ["count": 2])])
        #expect(Counter.changes(from: old, to: new, limit: 0) == nil)
        #expect(Counter.changes(from: old, to: old, limit: 0) == [])
        #expect(Counter.changedScopes(from: old, to: new) == ScopeSet(index: 0))
        #expect(Counter.changedScopes(from: old, to: old).isEmpty)
    }
}
