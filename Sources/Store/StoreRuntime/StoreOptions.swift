public import Records

/// What a store is told once, at its start.
public struct StoreOptions: Sendable {
    /// The build that writes, as it stands in every record: 10,000 * major + 100 * minor + patch.
    public var build: UInt32
    /// What this machine is called, where several share the log; it stands in every record that is dispatched here.
    public var node: String
    /// Identifies the code that folds; a snapshot of another one is ignored.
    public var fingerprint: String
    /// Where the time comes from.
    public var clock: StoreClock
    /// Whether dispatches are taken.
    public var access: Access
    /// Bytes that the disk must have left for a dispatch to be taken.
    public var freeBytesMin: Int
    /// Estimated bytes of memory above which the state must not grow.
    public var stateBytesMax: Int
    /// Commands that ends of commands may ask for in a minute, at least 1; further ones are parked.
    public var commandsPerMinuteMax: Int
    /// Where a test kills the process.
    public var crashPoints: CrashPoints
    /// Called once, on the store's thread, when it is unknown what is on disk: the process has to end.
    public var onUnknownOutcome: @Sendable (String) -> Void
    /// Called on a thread of its own, for each snapshot from which a start can go on.
    public var onSnapshot: @Sendable (AnchoredHead) -> Void

    /// Whether dispatches are taken.
    public enum Access: Sendable {
        /// They are.
        case readWrite
        /// They are refused; the state is for looking at.
        case readOnly
    }

    public init(
        build: UInt32 = 0, node: String = "", fingerprint: String = "", clock: StoreClock = .system, access: Access = .readWrite,
        freeBytesMin: Int = 16 << 20, stateBytesMax: Int = .max, commandsPerMinuteMax: Int = 600,
        crashPoints: CrashPoints = CrashPoints(),
        onUnknownOutcome: @escaping @Sendable (String) -> Void = { _ in },
        onSnapshot: @escaping @Sendable (AnchoredHead) -> Void = { _ in }
    ) {
        self.build = build
        self.node = node
        self.fingerprint = fingerprint
        self.clock = clock
        self.access = access
        self.freeBytesMin = freeBytesMin
        self.stateBytesMax = stateBytesMax
        precondition(commandsPerMinuteMax > 0, "without any, no end of a command could ask for another")
        self.commandsPerMinuteMax = commandsPerMinuteMax
        self.crashPoints = crashPoints
        self.onUnknownOutcome = onUnknownOutcome
        self.onSnapshot = onSnapshot
    }
}
