/// Does the work of commands; everything it needs of the world (clocks, sources) is given to it.
///
/// Cancellation is cooperative: a target that is cancelled returns soon, by throwing.
public protocol CommandTarget<Command, Action>: Sendable {
    /// What it is asked for.
    associatedtype Command: NamedCommand
    /// What it brings back.
    associatedtype Action: Sendable

    /// Makes one attempt, and brings back the fact for the state; `nil` if the state need not know.
    func perform(_ command: Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Action?
}

/// One attempt at a command, as its target sees it.
public struct CommandTicket: Sendable, Equatable {
    /// The command's name for the world: the same at every attempt, and never that of another command of any store.
    public var id: String
    /// Which attempt this is, from 1.
    public var attempt: Int

    /// Makes a ticket.
    public init(id: String, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}

/// Why an attempt failed.
public struct CommandFailure: Error, Sendable, Equatable {
    /// A sentence for a person that says what to do.
    public var reason: String
    /// Whether another attempt would fail as well.
    public var isPermanent: Bool
    /// How long the target wants to be left alone before the next attempt; `nil`: as the runner likes.
    public var retryAfter: Duration?

    /// Makes a failure.
    public init(_ reason: String, isPermanent: Bool = false, retryAfter: Duration? = nil) {
        self.reason = reason
        self.isPermanent = isPermanent
        self.retryAfter = retryAfter
    }
}
