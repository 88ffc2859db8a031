import Chronicle
import FeatureAlerts
import TestSupport

let hot = Alert(id: 1, text: "it is too hot")
let cold = Alert(id: 2, text: "it is too cold")

extension Alerts.State {
    mutating func dispatch(_ action: Alerts.Action) throws(Refusal) {
        for logged in try Alerts.prepare(action, self, .test) { reduce(logged) }
    }

    mutating func reduce(_ action: Alerts.Action) { _ = Alerts.reduce(&self, action, .test) }
}

func refusal(of action: Alerts.Action, in state: Alerts.State) -> String? { Alerts.refusal(of: action, in: state) }

extension SeededGenerator {
    mutating func text() -> String { ["", " ", "hot", "é", "e\u{301}", "🧑‍🧑‍🧒", "\u{202E}", "a\u{0}b"][number(0..<8)] }

    mutating func id() -> UInt64 {
        switch number(0..<40) {
        case 0: 0
        case 1: .max
        case 2: ElementID.range.upperBound
        default: UInt64(number(1..<300))
        }
    }

    /// Returns a random action, valid or not, in its dispatched or logged form.
    mutating func action() -> Alerts.Action {
        switch number(0..<60) {
        case 0: .dismissAll
        case 1..<15: .dismiss(id())
        default: .raise(text(), id: id())
        }
    }

    /// Returns the state after some random actions.
    mutating func state(_ steps: Int = 200) -> Alerts.State {
        var state = Alerts.State()
        for _ in 0..<number(0..<steps) { state.reduce(action()) }
        return state
    }
}
