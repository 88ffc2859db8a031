/// What a flow comes to, exactly once: an answer that means something, or that it was cancelled.
public protocol FlowResult: Sendable, Equatable {
    /// Reads what the log says of the flow's end; `nil` stands for cancelled. Fails for a text that is no such result.
    init?(text: String?)
    /// What the log says of it.
    var text: String? { get }
}

/// The result of a flow that never returns.
extension Never: FlowResult {
    /// There is none.
    public init?(text: String?) { nil }
    /// Never asked.
    public var text: String? { nil }
}
