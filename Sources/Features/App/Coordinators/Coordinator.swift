import Chronicle
import FeatureFlows

/// Defines one kind of flow: its start, the meaning of its answers and the actions that follow its result.
///
/// Features don't know each other; coordinators decide which one follows another. Flows form a tree: a flow starts child flows, passes
/// input to each and continues with their results. A coordinator is pure and stateless. Open flows are part of the state, so they survive a
/// restart.
protocol Coordinator: Sendable {
    /// The name by which clients start this kind.
    static var kind: String { get }

    /// The kinds of child flows, each with the step that follows its result; `nil` is the result of a cancelled flow.
    static var children: [String: @Sendable (String?) -> FlowStep] { get }

    /// The commands that cancel the requests of a flow, issued when it is cancelled.
    static var cancellations: [App.Command] { get }

    /// Starts the flow with the input from its parent, which is empty if a client starts it.
    static func start(with input: String, in state: App.State) -> FlowStart

    /// Handles an answer, by default with the refusal `UnknownAnswer`.
    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep

    /// The actions that follow the result, in order; `nil` is the result of a cancelled flow.
    static func actions(after result: String?) -> [App.Action]
}

extension Coordinator {
    static var children: [String: @Sendable (String?) -> FlowStep] { [:] }

    static var cancellations: [App.Command] { [] }

    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep {
        throw Flows.refusal(.unknownAnswer, "a flow of the kind \(kind) does not accept that answer")
    }

    static func actions(after result: String?) -> [App.Action] { [] }
}

enum FlowStart: Sendable {
    /// Asks a question, which stays in the state until it is answered; then the actions follow.
    case asks(options: [String], then: [App.Action])
    /// Only shows something; the flow is not stored and never returns.
    case shows([App.Action])
    /// Starts a child flow; the flow stays in the state until its last child has ended.
    case holds(any Coordinator.Type)
}

/// The next step of a flow.
enum FlowStep: Sendable {
    case ends(result: String)
    /// Starts a child flow and waits for its result.
    case starts(any Coordinator.Type, input: String)
    /// Leaves the flow unchanged: it repeats its question or waits for its other children.
    case stays
}
