import Chronicle
import FeatureStars
import TestSupport

extension Stars.State {
    /// Prepares and applies an action; returns the commands.
    @discardableResult
    mutating func dispatch(_ action: Stars.Action) throws(Refusal) -> [Stars.Command] {
        var commands: [Stars.Command] = []
        for logged in try Stars.prepare(action, self, .test) { commands += Stars.reduce(&self, logged, .test) }
        return commands
    }

    mutating func reduce(_ action: Stars.Action) { _ = Stars.reduce(&self, action, .test) }
}

func refusal(of action: Stars.Action, in state: Stars.State) -> String? { Stars.refusal(of: action, in: state) }

extension SeededGenerator {
    mutating func id() -> String {
        let odd = ["", "é", "e\u{301}", "a\u{0}b", "a.b", String(repeating: "x", count: 100), String(repeating: "x", count: 101)]
        return number(0..<8) == 0 ? odd[number(0..<odd.count)] : ["a", "b", "c", "d", "swift"][number(0..<5)]
    }

    /// Returns a random action, valid or not, in its dispatched or logged form.
    mutating func action() -> Stars.Action {
        switch number(0..<6) {
        case 0: .press(id())
        case 1: .staring(id())
        case 2: .unstaring(id())
        case 3: .starred(id())
        case 4: .unstarred(id())
        default: .failed(id(), reason: ["", "gone"][number(0..<2)])
        }
    }

    /// Returns the state after some random actions.
    mutating func state(_ steps: Int = 60) -> Stars.State {
        var state = Stars.State()
        for _ in 0..<number(0..<steps) { state.reduce(action()) }
        return state
    }
}
