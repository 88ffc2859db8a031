public import Reducing

/// The sample that is loaded when nothing else is configured.
public struct BundledTodos: TodoSource {
    private let pause: Pause

    /// A sample that takes its time.
    public init(delay: Duration = .seconds(2)) { pause = Pause(duration: delay) }

    /// The same three titles every time.
    public func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try pause.pass(ticket)
        return ["Buy the milk", "Take my dog", "Rent a car"]
    }
}
