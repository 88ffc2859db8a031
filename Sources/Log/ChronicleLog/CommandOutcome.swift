/// How a command ended; stored in the header of its end record.
public enum CommandOutcome: UInt8, Sendable, CaseIterable {
    /// The target executed it; the payload is its result.
    case result = 1
    /// The last attempt failed, or the result was refused.
    case failed = 2
    /// A person decided not to run it.
    case skipped = 3
    /// An action or a person cancelled it.
    case cancelled = 4
    /// A later command with the same cancel id replaced it.
    case superseded = 5
}
