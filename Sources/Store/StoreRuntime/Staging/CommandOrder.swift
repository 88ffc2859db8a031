public import Records
public import Values

/// What the runner or a person wants done with the open commands; accepted in line with the dispatches.
public enum CommandOrder<Action: Sendable>: Sendable {
    /// An attempt begins; the target may be called once the answer is there.
    ///
    /// Errors: `.commandClosed`, also for a parked one; `.commandHeld`; `.storageFull`.
    case begin(CommandID)
    /// The attempt that was begun came to an end, and with it the command.
    ///
    /// Errors: `.commandClosed`, also when no attempt is under way. Room that is kept free from dispatches may be used.
    case end(CommandID, CommandResult<Action>)
    /// The attempt that was begun brings a piece of the result, with how far it is; one whose index was logged before is passed over.
    ///
    /// Errors: `.commandClosed`, as for `end`; `.refused` for one that is out of order or one too many, and by `prepare`; `.storageFull`;
    /// `.batchTooLarge`.
    case piece(CommandID, ResultPiece, Action?)
    /// The attempt that was begun failed, and another is due at a time in microseconds since 1970.
    ///
    /// Errors: as for `end`.
    case postpone(CommandID, due: Int64, reason: String)
    /// The attempt that was begun is none: its target wants to be called at a time in microseconds since 1970.
    ///
    /// Errors: as for `end`.
    case wait(CommandID, due: Int64)
    /// The attempt that was begun ended because the runner stops; another is due as before, and all of that kind count as one.
    ///
    /// Errors: as for `end`.
    case interrupt(CommandID)
    /// The command waits for a person.
    ///
    /// Errors: `.commandClosed`.
    case park(CommandID, reason: String)
    /// A person of this uid wants it tried again at once, parked or not.
    ///
    /// Errors: `.commandClosed`; `.commandRunning` while an attempt is under way; `.commandHeld`.
    case retry(CommandID, by: UInt32)
    /// A person of this uid says that it is not to be done.
    ///
    /// Errors: `.commandClosed`.
    case skip(CommandID, by: UInt32)
    /// A person of this uid takes it back.
    ///
    /// Errors: `.commandClosed`.
    case cancel(CommandID, by: UInt32)
    /// A person of this uid gives it other arguments; parked, it stays so until it is retried.
    ///
    /// It is another piece of work from then on: its attempts count anew, and its target is told another name.
    /// Errors: `.commandClosed`; `.commandRunning` while an attempt is under way; `.badArguments`; `.storageFull`.
    case edit(CommandID, arguments: Value, by: UInt32)
    /// A person of this uid holds all commands, those to come too.
    case hold(by: UInt32)
    /// A person of this uid releases all commands that are held.
    case release(by: UInt32)
}

extension CommandOrder {
    /// The uid of the person who gives the order; `nil` for the runner.
    var origin: UInt32? {
        switch self {
        case .begin, .end, .piece, .postpone, .wait, .interrupt, .park: nil
        case .retry(_, let uid), .skip(_, let uid), .cancel(_, let uid), .edit(_, _, let uid), .hold(let uid), .release(let uid):
            uid
        }
    }
}

/// How the last attempt at a command came out.
public enum CommandResult<Action: Sendable>: Sendable {
    /// It is done; the fact that its target brought back, if any.
    case result(Action?)
    /// It is given up, for this reason.
    case failed(String)
}
