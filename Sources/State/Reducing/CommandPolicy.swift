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
    /// The ordered group, in which the next waits until the one before has ended; `nil`: beside all others.
    public var group: String?
    /// Names the command among the open ones: a later one of the same name ends it as superseded.
    public var cancelID: String?
    /// Whether it only ends the open commands of its `cancelID`, as cancelled, and is never run itself.
    public var isCancellation: Bool

    /// Makes a policy; left out: idempotent, 5 attempts of 30 seconds, at once, beside all others.
    public init(
        isIdempotent: Bool = true, attemptsMax: Int = 5, timeout: Duration = .seconds(30), delay: Duration = .zero,
        group: String? = nil, cancelID: String? = nil, isCancellation: Bool = false
    ) {
        self.isIdempotent = isIdempotent
        self.attemptsMax = attemptsMax
        self.timeout = timeout
        self.delay = delay
        self.group = group
        self.cancelID = cancelID
        self.isCancellation = isCancellation
    }

    /// The same policy one level further up: two features never share a group or a `cancelID`.
    public func under(_ name: String) -> CommandPolicy {
        var policy = self
        policy.group = group.map { name + "." + $0 }
        policy.cancelID = cancelID.map { name + "." + $0 }
        return policy
    }
}
