public import Reducing

/// Leads through one kind of flow: how it starts, what an answer means, and what the app does about its result.
///
/// Features don't know each other; which of them follows on which is decided here and nowhere else. A coordinator is pure
/// and keeps nothing: what is open stands in the state, so a flow goes on after every restart.
public protocol Coordinator: Sendable {
    /// What the flow comes to; `Never` for one that never returns.
    associatedtype Result: FlowResult
    /// The flow that it may start and wait for.
    associatedtype Child: Coordinator = Nobody

    /// The name of the kind, as clients start it.
    static var kind: String { get }

    /// How the flow starts, with what it needs of the state.
    static func start(in state: App.State) -> FlowStart

    /// What an answer to its question leads to; by default the result that it spells.
    ///
    /// Refusals: `UnknownAnswer`.
    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self>

    /// What the result of its child leads to; by default its question stands again.
    static func next(after result: Child.Result, in state: App.State) -> FlowStep<Self>

    /// What is to happen in the app because of the result, in this order.
    static func actions(after result: Result) -> [App.Action]
}

extension Coordinator {
    /// The result that the answer spells.
    public static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self> {
        guard let result = Result(text: answer) else {
            throw Refusal("UnknownAnswer", "that is no answer to a flow of the kind \(kind)")
        }
        return .ends(result)
    }

    /// Its question stands again.
    public static func next(after result: Child.Result, in state: App.State) -> FlowStep<Self> { .stays }
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
    /// As another flow, which it picks.
    case picks(any Coordinator.Type)
}

/// Where a flow goes on.
public enum FlowStep<Flow: Coordinator>: Sendable {
    /// It has come to its result and is no longer there.
    case ends(Flow.Result)
    /// It starts its child and waits for the result of that.
    case waits
    /// Its question stands again.
    case stays
}

/// The child of a coordinator that has none.
public enum Nobody: Coordinator {
    /// It never returns.
    public typealias Result = Never
    /// It has none itself.
    public typealias Child = Nobody
    /// It has none, so nobody can start it.
    public static let kind = ""
    /// Never called.
    public static func start(in state: App.State) -> FlowStart { .shows([]) }
}
