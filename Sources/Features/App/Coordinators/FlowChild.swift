/// A kind of flow below another, and what the upper one does with its result.
public struct FlowChild<Parent: Coordinator>: Sendable {
    /// The name of the kind.
    let kind: String
    /// What the result leads to, from what the log says of it; `nil` for a text that is no result.
    let next: @Sendable (String?, App.State) -> FlowStep<Parent>?

    /// Makes one; `next` gets the result, and the state in which the child is no longer there.
    public init<Child: Coordinator>(
        _ child: Child.Type, then next: @escaping @Sendable (Child.Result, App.State) -> FlowStep<Parent>
    ) {
        kind = Child.kind
        self.next = { text, state in Child.Result(text: text).map { next($0, state) } }
    }
}

/// A flow that is to be started, with what is passed to it.
public struct FlowCall: Sendable {
    let coordinator: any Coordinator.Type
    /// What is passed, as the log says it.
    let input: String

    /// Makes one.
    public init<Child: Coordinator>(_ child: Child.Type, with input: Child.Input) {
        coordinator = Child.self
        self.input = input.text
    }

    /// Makes one of a flow that needs nothing.
    public init<Child: Coordinator>(_ child: Child.Type) where Child.Input == NoInput {
        self.init(child, with: NoInput(text: ""))
    }
}

/// What a flow is given at its start by the one above it.
public protocol FlowInput: Sendable, Equatable {
    /// Reads what the log says of it; empty where a client starts the flow, who passes nothing.
    init(text: String)
    /// What the log says of it.
    var text: String { get }
}

/// The input of a flow that needs none.
public struct NoInput: FlowInput {
    /// The only one there is.
    public init(text: String) {}
    /// Nothing.
    public var text: String { "" }
}
