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
    /// How the runner runs it.
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

/// How the runner runs a command.
public struct CommandPolicy: Sendable, Equatable {
    /// Whether the target recognizes a second attempt by its id; if not, a crash during an attempt parks the command as uncertain.
    public var isIdempotent: Bool
    /// Number of attempts before the command has failed, at least 1.
    public var attemptsMax: Int
    /// How long one attempt may take.
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

    /// The pause between two starts of its `cancelID`, if there is one.
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
    /// A person decided to skip it.
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
