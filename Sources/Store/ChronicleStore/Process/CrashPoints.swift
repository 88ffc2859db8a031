#if CrashPoints
    import CMachine
    import Synchronization
#endif

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
    #else
        @inlinable
        public init(plan text: String? = nil) {}

        @inlinable
        public func pass(_ point: CrashPoint) {}
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

#if CrashPoints
    import CMachine
#endif

extension CrashPoints {
    /// The plan in the environment variable `CRASH_POINT`; empty in a build without the trait.
    public static var ofProcess: CrashPoints {
        #if CrashPoints
            CrashPoints(plan: environment_variable("CRASH_POINT").map { String(cString: $0) })
        #else
            CrashPoints()
        #endif
    }
}
