public import Fields

/// Leads through one kind of flow: how it starts, what an answer means, and what the app does about its result.
///
/// Features don't know each other; which of them follows on which is decided here and nowhere else. Flows form a tree: one
/// starts others, passes each a value, and goes on with what comes back. A coordinator is pure and keeps nothing: what is open
/// stands in the state, so a flow goes on after every restart.
public protocol Coordinator: Sendable {
    /// What the flow that starts it passes to it.
    associatedtype Input: FlowInput = NoInput
    /// What the flow comes to; `Never` for one that never returns.
    associatedtype Result: FlowResult

    /// The name of the kind, as clients start it.
    static var kind: String { get }

    /// The flows that it may start, and what it does with the result of each; by default none.
    static var children: [FlowChild<Self>] { get }

    /// The commands that take back what a flow of this kind has asked for; asked for when one is cancelled. By default none.
    static var cancellations: [App.Command] { get }

    /// How the flow starts, with what was passed to it and what it needs of the state.
    static func start(with input: Input, in state: App.State) -> FlowStart

    /// What an answer to its question leads to; by default the result that it spells.
    ///
    /// Refusals: `UnknownAnswer`.
    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self>

    /// What is to happen in the app because of the result, in this order.
    static func actions(after result: Result) -> [App.Action]
}

extension Coordinator {
    /// None.
    public static var children: [FlowChild<Self>] { [] }

    /// None.
    public static var cancellations: [App.Command] { [] }

    /// The result that the answer spells.
    public static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self> {
        guard let result = Result(text: answer) else {
            throw Refusal("UnknownAnswer", "that is no answer to a flow of the kind \(kind)")
        }
        return .ends(result)
    }
}

extension Coordinator where Result == Never {
    /// There is nothing after it.
    public static func actions(after result: Never) -> [App.Action] {}
}

/// How a flow starts.
public enum FlowStart: Sendable {
    /// With a question, which stands in the state until it is answered; the actions follow.
    case asks(options: [String], then: [App.Action])
    /// With something to see; nothing stands in the state, and it never returns.
    case shows([App.Action])
    /// With other flows, which go on beside each other; it stands in the state as long as one of them does.
    case holds([FlowCall])
}

/// Where a flow goes on.
public enum FlowStep<Flow: Coordinator>: Sendable {
    /// It has come to its result and is no longer there.
    case ends(Flow.Result)
    /// It starts another flow and waits for the result of that.
    case starts(FlowCall)
    /// It is as it was: its question stands again, or it holds the rest of its flows.
    case stays
}
