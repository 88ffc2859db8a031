import Chronicle
import FeatureFlows
import TestSupport

let colour = Flow(id: 1, kind: "colour", options: ["red", "green"])
let shade = Flow(id: 2, kind: "shade", parent: 1)
let tint = Flow(id: 3, kind: "tint", parent: 2)
let size = Flow(id: 4, kind: "size")

func refusal(of action: Flows.Action, in state: Flows.State) -> String? { Flows.refusal(of: action, in: state) }

extension SeededGenerator {
    mutating func text() -> String { ["", "red", "green", "é", "e\u{301}", "\u{202E}", "a\u{0}b"][number(0..<7)] }

    mutating func texts() -> [String] { (0..<number(0..<4)).map { _ in text() } }

    mutating func id() -> UInt64 {
        switch number(0..<20) {
        case 0: 0
        case 1: .max
        case 2: ElementID.range.upperBound
        default: UInt64(number(1..<12))
        }
    }

    mutating func flow() -> Flow { Flow(id: id(), kind: text(), parent: id(), options: texts(), input: text()) }

    /// Returns a random action, valid or not, in its dispatched or logged form.
    mutating func action() -> Flows.Action {
        switch number(0..<6) {
        case 0: .start(kind: text())
        case 1: .answer(id(), text())
        case 2: .cancel(id())
        case 3: .started(flow())
        case 4: .ended(id(), result: number(0..<2) == 0 ? nil : text())
        default: .offered(id(), options: texts())
        }
    }

    /// Returns the state after some random actions.
    mutating func state(_ steps: Int = 30) -> Flows.State {
        var state = Flows.State()
        for _ in 0..<number(0..<steps) { _ = Flows.reduce(&state, action(), .test) }
        return state
    }
}
