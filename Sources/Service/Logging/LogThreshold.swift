import Logging
import Synchronization

/// The least grave level that is logged; can be changed while the daemon runs.
final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    /// Begins with a level.
    init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

    /// The level in force.
    var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
