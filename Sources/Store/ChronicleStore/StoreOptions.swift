public import ChronicleLog

public struct StoreOptions: Sendable {
    /// The version that writes, stored in every record: 10,000 * major + 100 * minor + patch.
    public var build: UInt32
    /// The name of this machine in a cluster, stored in every record that is dispatched here.
    public var node: String
    /// Identifies the folding code; snapshots of other code are ignored.
    public var fingerprint: String
    public var clock: StoreClock
    public var access: Access
    /// Free disk space in bytes below which dispatches are refused.
    public var freeBytesMin: Int
    /// Estimated bytes of memory above which the state must not grow.
    public var stateBytesMax: Int
    /// Commands that command ends may request per minute, at least 1; more are parked.
    public var commandsPerMinuteMax: Int
    public var crashPoints: CrashPoints
    /// Called once, on the store's thread, if the content of the disk is unknown: the process must end.
    public var onUnknownOutcome: @Sendable (String) -> Void
    /// Called on a separate thread for each start snapshot.
    public var onSnapshot: @Sendable (HeadCheckpoint) -> Void

    /// Whether dispatches are accepted.
    public enum Access: Sendable {
        case readWrite
        case readOnly
    }

    public init(
        build: UInt32 = 0, node: String = "", fingerprint: String = "", clock: StoreClock = .system, access: Access = .readWrite,
        freeBytesMin: Int = 16 << 20, stateBytesMax: Int = .max, commandsPerMinuteMax: Int = 600,
        crashPoints: CrashPoints = CrashPoints(),
        onUnknownOutcome: @escaping @Sendable (String) -> Void = { _ in },
        onSnapshot: @escaping @Sendable (HeadCheckpoint) -> Void = { _ in }
    ) {
        self.build = build
        self.node = node
        self.fingerprint = fingerprint
        self.clock = clock
        self.access = access
        self.freeBytesMin = freeBytesMin
        self.stateBytesMax = stateBytesMax
        precondition(commandsPerMinuteMax > 0, "otherwise no end of a command could request another")
        self.commandsPerMinuteMax = commandsPerMinuteMax
        self.crashPoints = crashPoints
        self.onUnknownOutcome = onUnknownOutcome
        self.onSnapshot = onSnapshot
    }
}
