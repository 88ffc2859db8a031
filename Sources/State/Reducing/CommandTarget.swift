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

    /// The same, and what takes long may leave parts of it before its end.
    func perform(
        _ command: Command, _ ticket: CommandTicket, _ pieces: CommandPieces<Action>
    ) async throws(CommandFailure) -> Action?

    /// How long a command still waits for a time that the target knows; zero for one that can be done.
    ///
    /// Asked in the line of all commands, when it is due and again after so long, so it must not block. No attempt begins, nothing is written, and
    /// it may go on for years; a target that finds out in the midst of an attempt throws `CommandFailure.later`.
    func wait(before command: Command) -> Duration
}

extension CommandTarget {
    /// None: what is due is done.
    public func wait(before command: Command) -> Duration { .zero }

    /// All with its end.
    public func perform(
        _ command: Command, _ ticket: CommandTicket, _ pieces: CommandPieces<Action>
    ) async throws(CommandFailure) -> Action? {
        try await perform(command, ticket)
    }
}

/// One attempt at a command, as its target sees it.
public struct CommandTicket: Sendable, Equatable {
    /// The command's name for the world: the same at every attempt, and never that of another command of any store.
    public var id: String
    /// Which attempt this is, from 1.
    public var attempt: Int
    /// How often it was put off, because the target wanted to be called later.
    public var waits: Int
    /// What the state says of what the command names, as the attempt begins; null for most.
    public var brief: Value

    /// How often a target may put one command off.
    public static let waitsMax = 1_000

    public init(id: String, attempt: Int, waits: Int = 0, brief: Value = .null) {
        self.id = id
        self.attempt = attempt
        self.waits = waits
        self.brief = brief
    }
}

/// Why an attempt failed, or that nothing is done yet.
public struct CommandFailure: Error, Sendable, Equatable {
    /// A sentence for a person that says what to do.
    public var reason: String
    /// Whether another attempt would fail as well.
    public var isPermanent: Bool
    /// How long the target wants to be left alone before the next attempt; `nil`: as the runner likes.
    public var retryAfter: Duration?
    /// How long after this the target wants to be called, having done nothing yet; `nil`: it failed.
    public private(set) var wait: Duration?

    public init(_ reason: String, isPermanent: Bool = false, retryAfter: Duration? = nil) {
        self.reason = reason
        self.isPermanent = isPermanent
        self.retryAfter = retryAfter
    }

    /// Puts the command off: nothing was done, no attempt was made, and it is due again after so long.
    ///
    /// So nobody sleeps, and a restart waits for the rest. `CommandTicket.waitsMax` times at most.
    public static func later(_ wait: Duration) -> CommandFailure {
        var later = CommandFailure("It is put off.")
        later.wait = wait
        return later
    }
}
