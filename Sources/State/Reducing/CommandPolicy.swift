/// How a command is run: what the runner must know besides its name and arguments.
public struct CommandPolicy: Sendable, Equatable {
    /// Whether the target knows a second attempt by its id; if not, a crash during an attempt parks the command as uncertain.
    public var isIdempotent: Bool
    /// How many attempts are made before the command has failed, at least 1.
    public var attemptsMax: Int
    /// How long one attempt may take.
    public var timeout: Duration
    /// How long after the record that asked for it the command is due; it survives a restart.
    public var delay: Duration
    /// Whether its kind waits for a time of its own, however near, as a reminder does.
    ///
    /// The target knows that time, and is asked for it whatever the delay is. Fewer of these may be open than of all commands.
    public var isScheduled: Bool
    /// How many attempts at commands of its name may be under way at once, at least 1; the others stay in line.
    ///
    /// `nil`: as many as of all.
    public var runningMax: Int?
    /// The ordered group, in which the next waits until the one before has ended; `nil`: beside all others.
    public var group: String?
    /// Names the command among the open ones: a later one of the same name ends it as superseded.
    public var cancelID: String?
    /// Whether it only ends the open commands of its `cancelID`, as cancelled, and is never run itself.
    public var isCancellation: Bool

    /// How often commands of its `cancelID` start; `nil`, or without a `cancelID`: each as soon as it is due.
    public var pace: Pace?

    /// How the commands of one `cancelID` are thinned out: a later one takes the place of those that wait, and what has begun goes on.
    ///
    /// They run beside each other unless they have a `group`.
    public enum Pace: Sendable, Equatable {
        /// The newest starts when none has been asked for so long.
        case debounce(Duration)
        /// One starts at most every so often, the first at once; a further attempt at the same command is no start.
        case throttle(Duration)
    }

    /// Makes a policy; left out: idempotent, 5 attempts of 30 seconds, at once, beside all others.
    public init(
        isIdempotent: Bool = true, attemptsMax: Int = 5, timeout: Duration = .seconds(30), delay: Duration = .zero,
        isScheduled: Bool = false, runningMax: Int? = nil, group: String? = nil, cancelID: String? = nil,
        isCancellation: Bool = false, pace: Pace? = nil
    ) {
        self.isIdempotent = isIdempotent
        self.attemptsMax = attemptsMax
        self.timeout = timeout
        self.delay = delay
        self.isScheduled = isScheduled
        self.runningMax = runningMax.map { max(1, $0) }
        self.group = group
        self.cancelID = cancelID
        self.isCancellation = isCancellation
        self.pace = pace
    }

    /// Whether the command has a delay; its end then begins a step, so timers may request each other forever.
    public var isDelayed: Bool { isScheduled || delay > .zero }

    /// How long after the record that asks for it a command is due, whatever has started before.
    public var wait: Duration { if case .debounce(let quiet) = pace { max(delay, quiet) } else { delay } }

    /// The pause between two starts of its `cancelID`, where there is one.
    public var interval: Duration? { if case .throttle(let interval) = pace, cancelID != nil { interval } else { nil } }

    /// How long a command waits at most before its first attempt is due.
    public var waitMax: Duration { max(wait, interval ?? .zero) }

    /// The same policy one level further up: two features never share a group or a `cancelID`.
    public func under(_ name: String) -> CommandPolicy {
        var policy = self
        policy.group = group.map { name + "." + $0 }
        policy.cancelID = cancelID.map { name + "." + $0 }
        return policy
    }
}
