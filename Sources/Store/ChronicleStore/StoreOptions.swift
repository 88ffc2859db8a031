import CMachine
public import ChronicleLog

#if CrashPoints
    import Synchronization
#endif

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
        (self.build, self.node, self.fingerprint, self.clock, self.access) = (build, node, fingerprint, clock, access)
        (self.freeBytesMin, self.stateBytesMax) = (freeBytesMin, stateBytesMax)
        precondition(commandsPerMinuteMax > 0, "otherwise no end of a command could request another")
        (self.commandsPerMinuteMax, self.crashPoints) = (commandsPerMinuteMax, crashPoints)
        (self.onUnknownOutcome, self.onSnapshot) = (onUnknownOutcome, onSnapshot)
    }
}

/// The clock of the store and the command runner; tests inject their own.
public struct StoreClock: Sendable {
    /// Microseconds since 1970; may jump.
    public var wall: @Sendable () -> Int64
    /// Microseconds since boot, including suspend; never jumps.
    public var boot: @Sendable () -> Int64
    /// Sleeps on the boot clock; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        wall: @escaping @Sendable () -> Int64, boot: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await ContinuousClock().sleep(for: $0) }
    ) {
        (self.wall, self.boot, self.sleep) = (wall, boot, sleep)
    }

    /// Creates a clock whose boot time starts now and passes on a clock of the standard library's kind.
    public init<Base: Clock>(_ clock: Base, wall: @escaping @Sendable () -> Int64) where Base.Duration == Duration {
        let start = clock.now
        self.init(wall: wall, boot: { start.duration(to: clock.now).microseconds }, sleep: { try await clock.sleep(for: $0) })
    }

    /// Microseconds by which a record's time is ahead of the wall clock; 0 up to a second, because records written at once are ahead.
    public func behind(_ time: Int64) -> Int64 {
        let lead = time.subtracting(clamping: wall())
        return lead > 1_000_000 ? lead : 0
    }

    public static let system = StoreClock(wall: { wall_microseconds() }, boot: { boot_microseconds() })
}

/// Nanoseconds of a monotonic clock, for measuring durations.
package func monotonicNanoseconds() -> UInt64 { monotonic_nanoseconds() }

extension Duration {
    /// Whole microseconds, rounded toward zero.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        return whole.adding(clamping: attoseconds / 1_000_000_000_000)
    }
}

/// Lets a test kill the process at a named point; does nothing in a build without the package trait `CrashPoints`.
public struct CrashPoints: Sendable {
    #if CrashPoints
        private final class Plan: Sendable {
            let point: CrashPoint
            let left: Atomic<Int>

            init(_ point: CrashPoint, _ count: Int) {
                self.point = point
                left = Atomic(count)
            }
        }

        private let plan: Plan?

        /// Parses `name:count`: the process dies at the count-th pass; an invalid plan stops it, because the test would prove nothing.
        public init(plan text: String? = nil) {
            guard let text else {
                plan = nil
                return
            }
            let parts = text.split(separator: ":")
            let point = parts.first.flatMap { CrashPoint(rawValue: String($0)) }
            let count = parts.count > 1 ? Int(parts[1]) : 1
            guard let point, let count, count > 0, parts.count <= 2 else {
                preconditionFailure("no crash point is named \(text); they are \(CrashPoint.allCases.map(\.rawValue))")
            }
            plan = Plan(point, count)
        }

        public func pass(_ point: CrashPoint) {
            guard let plan, plan.point == point else { return }
            if plan.left.subtract(1, ordering: .relaxed).newValue == 0 { process_kill() }
        }

        /// The plan in the environment variable `CRASH_POINT`; empty in a build without the trait.
        public static var ofProcess: CrashPoints {
            CrashPoints(plan: environment_variable("CRASH_POINT").map { String(cString: $0) })
        }
    #else
        @inlinable
        public init(plan text: String? = nil) {}

        @inlinable
        public func pass(_ point: CrashPoint) {}

        public static var ofProcess: CrashPoints { CrashPoints() }
    #endif
}

public enum CrashPoint: String, Sendable, CaseIterable {
    case beforeAccept = "before-accept"
    /// After the actions are folded, before the commit.
    case beforeCommit = "before-commit"
    case afterCommit = "after-commit"
    /// After the commit of a command's end, before any answer.
    case afterEndCommit = "after-end-commit"
    /// After the answer to the client that requested a command, before its attempt is marked as started.
    case beforeCommandStart = "before-command-start"
    /// After the mark, before the target is called.
    case beforeTarget = "before-target"
    /// After the target's work, before its result reaches the store.
    case afterTarget = "after-target"
    /// After the archive of a compaction is on disk, before the log is changed.
    case afterArchive = "after-archive"
}

/// Memory that was freed but still belongs to the process.
public enum FreeMemory {
    /// Returns free memory to the system; locks each heap, and takes some milliseconds per 100 MB.
    ///
    /// Each thread has its own heap. Call this after freeing something large, or before allocating it on another thread.
    public static func giveBack() { heaps_trim() }

    /// Returns large blocks to the system as soon as they are freed.
    public static func giveBackLargeBlocks() { heaps_keep_small() }

    /// Unmaps the code that only the start needs, a third of an idle daemon's memory; debug builds keep it for breakpoints.
    public static func giveBackCode() {
        #if !DEBUG
            code_give_back()
        #endif
    }
}
