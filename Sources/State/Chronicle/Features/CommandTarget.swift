/// Does the work of commands, with injected dependencies (clocks, sources); a cancelled target must return soon, by throwing.
public protocol CommandTarget<Command, Action>: Sendable {
    associatedtype Command: NamedCommand
    /// The results.
    associatedtype Action: Sendable

    /// Makes one attempt and returns the fact for the state; `nil` if the state need not know.
    func perform(_ command: Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Action?

    /// The same; a long attempt may log parts of its result before its end.
    func perform(
        _ command: Command, _ ticket: CommandTicket, _ pieces: CommandPieces<Action>
    ) async throws(CommandFailure) -> Action?

    /// How long a command must still wait for a time that the target knows; zero for a command that can run.
    ///
    /// Called on the runner's queue when the command is due, and again after the returned time, so it must not block. No attempt begins and
    /// nothing is written. The wait may last for years. A target that has to wait during an attempt throws `CommandFailure.later`.
    func wait(before command: Command) -> Duration
}

extension CommandTarget {
    public func wait(before command: Command) -> Duration { .zero }

    /// Logs no parts.
    public func perform(
        _ command: Command, _ ticket: CommandTicket, _ pieces: CommandPieces<Action>
    ) async throws(CommandFailure) -> Action? { try await perform(command, ticket) }
}

/// One attempt at a command, as its target sees it.
public struct CommandTicket: Sendable, Equatable {
    /// The idempotency key of the command: the same at every attempt, and unique among the commands of all stores.
    public var id: String
    /// The number of this attempt, from 1.
    public var attempt: Int
    /// How often it was postponed because the target wanted to be called later.
    public var waits: Int
    /// The result of the feature's `input` at the beginning of the attempt; null for most commands.
    public var input: Value

    /// How often a target may postpone one command.
    public static let waitsMax = 1_000

    public init(id: String, attempt: Int, waits: Int = 0, input: Value = .null) {
        (self.id, self.attempt, self.waits, self.input) = (id, attempt, waits, input)
    }
}

/// The reason why an attempt failed, or was postponed.
public struct CommandFailure: Error, Sendable, Equatable {
    /// A sentence for a person that contains the remedy.
    public var reason: String
    /// Whether another attempt would fail as well.
    public var isPermanent: Bool
    /// The minimum time before the next attempt; `nil`: the runner decides.
    public var retryAfter: Duration?
    /// The time after which the target wants to be called, having done nothing yet; `nil`: it failed.
    public private(set) var wait: Duration?

    public init(_ reason: String, isPermanent: Bool = false, retryAfter: Duration? = nil) {
        (self.reason, self.isPermanent, self.retryAfter) = (reason, isPermanent, retryAfter)
    }

    /// Postpones the command at most `CommandTicket.waitsMax` times; not counted as an attempt.
    ///
    /// No task sleeps, and after a restart the rest of the time remains.
    public static func later(_ wait: Duration) -> CommandFailure {
        var later = CommandFailure("It is put off.")
        later.wait = wait
        return later
    }
}

/// Logs parts of the result of a command before its end.
///
/// Each part has an index and is logged once: a further attempt may begin with part `logged`, or log all parts again. Part N must be the
/// same at every attempt; a target that can't guarantee that logs no parts.
public struct CommandPieces<Action: Sendable>: Sendable {
    /// The progress of a command, in units of its target.
    public struct Progress: Sendable, Equatable {
        public var done: UInt64
        /// The amount of work; 0 if it is unknown.
        public var total: UInt64

        public init(_ done: UInt64, of total: UInt64 = 0) { (self.done, self.total) = (done, total) }
    }

    /// Logs one part.
    public typealias Taking = @Sendable (_ index: Int, _ fact: Action?, Progress) async throws(CommandFailure) -> Void

    /// Number of parts that earlier attempts logged.
    public let logged: Int
    /// The progress at the last logged part.
    public let progress: Progress
    private let taking: Taking

    public init(logged: Int = 0, progress: Progress = Progress(0), _ taking: @escaping Taking) {
        (self.logged, self.progress, self.taking) = (logged, progress, taking)
    }

    /// Logs a part: an event, which passes through `prepare`, or none, and the progress after it.
    ///
    /// Returns when the part is on disk, or was logged before. Parts must be logged in the order of their indexes.
    /// - Throws: the reason why the part is refused. The target then throws this error; earlier parts stay logged.
    public func log(_ index: Int, _ fact: Action? = nil, _ progress: Progress) async throws(CommandFailure) {
        try await taking(index, fact, progress)
    }
}
