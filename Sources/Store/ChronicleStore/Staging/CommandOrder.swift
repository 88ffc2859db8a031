public import ChronicleLog
public import ChronicleValues

/// An operation on open commands, requested by the runner or a person and ordered with the dispatches.
public enum CommandOrder<Action: Sendable>: Sendable {
    /// Starts an attempt, whose target may be called after the answer; with the attempt's number, the order can be repeated when in doubt.
    /// Errors: `.commandClosed`, also for a parked command; `.commandHeld`; `.storageFull`.
    case begin(CommandID, attempt: UInt32? = nil)
    /// Ends the current attempt and the command; may use space that is reserved from dispatches. Errors: `.commandClosed`, also without a
    /// current attempt.
    case end(CommandID, CommandResult<Action>)
    /// Logs a partial result of the current attempt, with its progress; an index that was logged before is skipped. Errors:
    /// `.commandClosed`; `.refused` by `prepare`, or for a piece out of order or above the limit; `.storageFull`; `.batchTooLarge`.
    case piece(CommandID, ResultPiece, Action?)
    /// The current attempt failed; retries at a time in microseconds since 1970. Errors: `.commandClosed`.
    case postpone(CommandID, due: Int64, reason: String)
    /// Does not count the current attempt: its target asked to be called at a time in microseconds since 1970. Errors: `.commandClosed`.
    case wait(CommandID, due: Int64)
    /// The runner's stop interrupted the attempt, which keeps its due time; all interruptions count as one. Errors: `.commandClosed`.
    case interrupt(CommandID)
    /// Parks the command until a person decides. Errors: `.commandClosed`.
    case park(CommandID, reason: String)
    /// Retries the command at once, parked or not. Errors: `.commandClosed`; `.commandRunning` during an attempt; `.commandHeld`.
    case retry(CommandID, by: UInt32)
    /// Skips the command. Errors: `.commandClosed`.
    case skip(CommandID, by: UInt32)
    /// Cancels the command. Errors: `.commandClosed`.
    case cancel(CommandID, by: UInt32)
    /// Replaces the arguments; the command gets a new id for its target and 0 attempts, and stays parked if it was.
    /// Errors: `.commandClosed`; `.commandRunning` during an attempt; `.badArguments`; `.storageFull`.
    case edit(CommandID, arguments: Value, by: UInt32)
    /// Holds all commands, including future ones.
    case hold(by: UInt32)
    case release(by: UInt32)
}

extension CommandOrder {
    /// The uid of the person; `nil` for the runner.
    var origin: UInt32? {
        switch self {
        case .begin, .end, .piece, .postpone, .wait, .interrupt, .park: nil
        case .retry(_, let uid), .skip(_, let uid), .cancel(_, let uid), .edit(_, _, let uid), .hold(let uid), .release(let uid):
            uid
        }
    }
}

public enum CommandResult<Action: Sendable>: Sendable {
    /// Succeeded, with the event that the target returned, if any.
    case result(Action?)
    /// Failed for good, with the reason.
    case failed(String)
}
