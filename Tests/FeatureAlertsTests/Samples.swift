import FeatureAlerts
import Fields
import TestSupport

let hot = Alert(id: 1, text: "it is too hot")
let cold = Alert(id: 2, text: "it is too cold")

extension Alerts.State {
    /// Prepares and applies an action.
    mutating func dispatch(_ action: Alerts.Action) throws(Refusal) {
        for logged in try Alerts.prepare(action, self, .test) { reduce(logged) }
    }

    /// Applies a logged action.
    mutating func reduce(_ action: Alerts.Action) { _ = Alerts.reduce(&self, action, .test) }
}

/// The name of the refusal, or `nil` if there was none.
func refusal(of action: Alerts.Action, in state: Alerts.State) -> String? {
    do {
        _ = try Alerts.prepare(action, state, .test)
        return nil
    } catch { return error.name }
}

extension SeededGenerator {
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func text() -> String { ["", " ", "hot", "é", "e\u{301}", "🧑‍🧑‍🧒", "\u{202E}", "a\u{0}b"][number(0..<8)] }

    mutating func id() -> UInt64 {
        switch number(0..<40) {
        case 0: 0
        case 1: .max
        case 2: Alerts.Limits.ids.upperBound
        default: UInt64(number(1..<300))
        }
    }

    /// Any action, sensible or not, as dispatched or as logged.
    mutating func action() -> Alerts.Action {
        switch number(0..<60) {
        case 0: .dismissAll
        case 1..<15: .dismiss(id())
        default: .raise(text(), id: id())
        }
    }

    /// A state that some random actions led to.
    mutating func state(_ steps: Int = 200) -> Alerts.State {
        var state = Alerts.State()
        for _ in 0..<number(0..<steps) { state.reduce(action()) }
        return state
    }
}
