/// A command as the log stores it: a name and a version that define how its arguments are read.
public protocol NamedCommand: Sendable, Equatable {
    /// Its name, unique in the app and never reused: `todos.load`.
    var name: String { get }
    /// The version of its arguments' meaning, from 1.
    var version: UInt32 { get }
    /// Its arguments by name, for people and clients.
    var arguments: Value { get }
    /// Whether it is for the client that asked (open a page) and never for the runner.
    var isPresentational: Bool { get }
    var policy: CommandPolicy { get }
    /// Whether it changes something outside the daemon, which undo does not revert.
    var leavesTrace: Bool { get }
    /// Whether its arguments may contain a text of the action that requested it. Such an action is not redacted while the command is open.
    var mayHoldText: Bool { get }

    /// The same work with other arguments; throws the argument that does not fit this version.
    func with(arguments: Value) throws(ValueMismatch) -> Self
}

extension NamedCommand {
    public var version: UInt32 { 1 }
    public var arguments: Value { [:] }
    public var isPresentational: Bool { false }
    public var policy: CommandPolicy { CommandPolicy() }
    public func with(arguments: Value) throws(ValueMismatch) -> Self {
        throw ValueMismatch("", "the arguments of this command can't be changed")
    }
    public var mayHoldText: Bool { true }
    public var leavesTrace: Bool { false }
}

extension Never: NamedCommand {
    public var name: String { "" }
}

public struct CommandPolicy: Sendable, Equatable {
    /// Whether the target recognizes a second attempt by its id; if not, a crash during an attempt parks the command as uncertain.
    public var isIdempotent: Bool
    /// Number of attempts before the command has failed, at least 1.
    public var attemptsMax: Int
    public var timeout: Duration
    /// How long after the record that requested it the command is due; it survives a restart.
    public var delay: Duration
    /// Whether commands of its kind wait for a time that the target knows, as reminders do.
    ///
    /// The runner asks the target for that time, whatever the delay is. Such commands have a lower limit of open commands.
    public var isScheduled: Bool
    /// Maximum number of concurrent attempts at commands of its name, at least 1; `nil`: only the limit for all commands applies.
    public var runningMax: Int?
    /// The ordered group, in which one command starts after the end of the previous one; `nil`: it runs concurrently with all commands.
    public var group: String?
    /// Names the command among the open ones: a later one of the same name ends it as superseded.
    public var cancelID: String?
    /// Whether it only ends the open commands of its `cancelID`, as cancelled, and is never run itself.
    public var isCancellation: Bool

    /// How often commands of its `cancelID` start; `nil`, or without a `cancelID`: each as soon as it is due.
    public var pace: Pace?

    /// Reduces the starts of commands with one `cancelID`: a later command replaces waiting ones, and started ones go on, concurrently
    /// unless they have a `group`.
    public enum Pace: Sendable, Equatable {
        /// Debounce: the newest starts after this time without a new request.
        case debounce(Duration)
        /// Throttle: at most one start in this time, the first at once. A further attempt at the same command is not a start.
        case throttle(Duration)
    }

    /// Makes a policy; by default: idempotent, 5 attempts of 30 seconds, without delay, concurrent with all others.
    public init(
        isIdempotent: Bool = true, attemptsMax: Int = 5, timeout: Duration = .seconds(30), delay: Duration = .zero,
        isScheduled: Bool = false, runningMax: Int? = nil, group: String? = nil, cancelID: String? = nil,
        isCancellation: Bool = false, pace: Pace? = nil
    ) {
        (self.isIdempotent, self.attemptsMax, self.timeout, self.delay) = (isIdempotent, attemptsMax, timeout, delay)
        self.isScheduled = isScheduled
        self.runningMax = runningMax.map { max(1, $0) }
        (self.group, self.cancelID, self.isCancellation, self.pace) = (group, cancelID, isCancellation, pace)
    }

    /// Whether the command has a delay; its end then begins a step, so timers may request each other forever.
    public var isDelayed: Bool { isScheduled || delay > .zero }

    /// How long after the record that requests it a command is due, without regard to other starts.
    public var wait: Duration { if case .debounce(let quiet) = pace { max(delay, quiet) } else { delay } }
    public var interval: Duration? { if case .throttle(let interval) = pace, cancelID != nil { interval } else { nil } }

    /// Maximum time until the first attempt is due.
    public var waitMax: Duration { max(wait, interval ?? .zero) }

    /// The same policy in a parent feature: two features never share a group or a `cancelID`.
    public func under(_ name: String) -> CommandPolicy {
        var policy = self
        policy.group = group.map { name + "." + $0 }
        policy.cancelID = cancelID.map { name + "." + $0 }
        return policy
    }

    /// The open commands that a command with this policy ends, and how: those with its `cancelID`; `nil` if it ends none.
    public var displacement: (cancelID: String, end: CommandEnd)? {
        cancelID.map { ($0, isCancellation ? .cancelled : .superseded) }
    }

    /// Whether started commands end then, too: with a pace, they go on.
    public var displacesBegun: Bool { isCancellation || pace == nil }
}

/// How a command ended, or stopped for a person, without a result.
public enum CommandEnd: Sendable, Equatable {
    /// Its last attempt failed; the reason is a sentence for a person.
    case failed(String)
    case skipped
    /// An action or a person cancelled it.
    case cancelled
    /// A later command with the same `cancelID` replaced it.
    case superseded
    /// It waits for a person to retry or skip it; the command stays open.
    case parked(String)

    /// Why there is no result; `nil` if there may still be one: from the later command, or after the person's decision.
    public var reason: String? {
        switch self {
        case .failed(let reason): reason
        case .skipped: "it was skipped"
        case .cancelled: "it was cancelled"
        case .superseded, .parked: nil
        }
    }
}

extension Feature {
    /// The facts that the log stores for the end of a command, as far as `prepare` allows them.
    public static func facts(of command: Command, _ end: CommandEnd, in state: State, _ context: Context) -> [Action] {
        // A refused fact is left out: the record of the end contains the end and its reason.
        guard let fact = ended(command, end) else { return [] }
        return (try? prepare(fact, state, context)) ?? []
    }
}

/// Does the work of commands, with injected dependencies (clocks, sources); a cancelled target must return soon, by throwing.
public protocol CommandTarget<Command, Action>: Sendable {
    associatedtype Command: NamedCommand
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
