public import Chronicle
public import ChronicleLog

/// The reasons why the store refuses a call or has no answer.
public enum StoreError: Error, Sendable, Equatable {
    /// A feature's rule refuses the action at this index of the batch.
    case refused(Refusal, action: Int)
    /// A client dispatched an event at this index of the batch.
    case factNotAllowed(action: Int)
    /// The scope, or the log, has changed after the expected sequence.
    case stale(current: UInt64)
    /// An index refers to a list that has changed since, or has no expected sequence.
    case staleIndex(current: UInt64)
    /// The key was used for other actions.
    case keyReused
    /// The key is empty or longer than `Limits.keyBytesMax`.
    case keyTooLong
    /// More than `Limits.batchRecordsMax` records.
    case batchTooLarge
    /// The continued step is not a step of this uid.
    case unknownOwnStep(UInt64)
    /// The sequence belongs to another epoch of the log.
    case epochChanged(current: UInt64)
    /// `Limits.openCommandsMax` commands are already open.
    case tooManyCommands
    /// Too many scheduled commands, in total or of one uid.
    case tooManyDelayedCommands(max: Int, of: UInt32? = nil)

    /// The new state would break an invariant: name, condition, and the changes, unless there are too many.
    case invariantBroken(String, String, [Change])
    /// Checking the invariants takes more than `Limits.judgingStepsMax` steps; none were left for this one.
    case invariantTooCostly(String)
    /// The new state does not meet the dispatch's requirement.
    case requirementBroken(String)
    /// The dispatch's requirement takes more than `Limits.requirementStepsMax` steps.
    case requirementTooLong
    /// Too many invariants.
    case tooManyInvariants(max: Int)
    /// No invariant has this name.
    case unknownInvariant(String)

    /// The command has ended, never existed, or waits for another result.
    case commandClosed(CommandID)
    /// The command has a current attempt.
    case commandRunning(CommandID)
    /// The command is held.
    case commandHeld(CommandID)
    /// Invalid arguments for this command: where, and why.
    case badArguments(CommandID, ValueMismatch)
    /// Too many bookmarks, in total or of one uid.
    case tooManyBookmarks(max: Int, of: UInt32? = nil)
    /// No bookmark has this name.
    case unknownBookmark(String)
    /// An invalid bookmark name, and why.
    case badBookmark(String, why: String)

    /// The sequence is after the head.
    case futureSequence(head: UInt64)
    /// The records were compacted away or never existed; the base is the first available moment.
    case pruned(base: UInt64)
    /// The range ends before it begins.
    case emptyRange(from: UInt64, to: UInt64)
    /// Invalid edit of the past: its index, from 0, and why.
    case badEdit(Int, String)
    /// `prepare` refuses the action of this edit.
    case refusedEdit(Int, Refusal)
    /// An expression takes too many steps; the first moment in which it was not evaluated.
    case tooManySteps(reached: UInt64)
    /// The answer exceeds the limit.
    case answerTooLarge
    /// The log was compacted during the search.
    case compacted

    case nothingToUndo
    /// Nothing to redo: nothing was undone, or there is a newer step.
    case nothingToRedo
    /// No such step.
    case unknownStep(UInt64)
    /// The step is already undone, by an active step.
    case alreadyUndone(UInt64, by: UInt64)
    /// The step belongs to another uid.
    case notYourStep(UInt64, uid: UInt32)
    /// Nothing of the step's changes is left.
    case nothingLeft(UInt64)
    /// Later changes conflict with the undo; nothing was changed.
    case conflict([Conflict])
    /// A fork that can't be merged, and why, as a sentence.
    case badFork(String)
    /// The undo would bring back the changes of this merge step, which another step has merged since.
    case mergedMeanwhile(UInt64, in: UInt64, isPruned: Bool = false)
    /// The moment lies within a change; the moments before and after it.
    case withinChange(before: UInt64, after: UInt64)
    /// No such path, now and then, that can be restored by itself.
    case noSuchPlace(String)
    /// Computed before a record or redaction on which it depends; compute it again.
    case outdated

    /// The log is locked; reads continue.
    case locked(Lock)
    /// The state would exceed `StoreOptions.stateBytesMax`, in estimated bytes. Changes that do not enlarge it are accepted.
    case stateFull(bytes: Int, max: Int)
    /// No space on the disk or in the map; reads continue.
    case storageFull(String)
    /// A record is damaged, or a newer version wrote it; everything before it is intact.
    case damaged(sequence: UInt64, what: String)
    /// An intact record whose action this version can't read.
    case undecodable(sequence: UInt64, what: String)
    /// It is unknown whether the batch is on disk. The daemon stops; after its restart, a retry with the same key finds out.
    case outcomeUnknown(String)
    /// A shared log does not accept writes at present; nothing was changed, and reads continue.
    case unavailable(String)
    /// A shared log's outcome is still unknown; a later dispatch with the same key finds out.
    case inDoubt(String)
    /// Too many dispatches wait.
    case busy
    /// Too many queries wait.
    case queryBusy
    /// The store is read-only.
    case readOnly
    /// The store is stopping, or the caller has gone.
    case stopping
    /// Reading failed.
    case unreadable(String)

    /// Converts an error of the log.
    public init(_ error: ActionLogError) {
        self =
            switch error {
            case .storageFull(_, let message): .storageFull(message)
            case .damaged(let sequence, let what): .damaged(sequence: sequence, what: what)
            case .undecodable(let sequence, let what): .undecodable(sequence: sequence, what: what)
            case .newerFormat(let sequence, let what): .damaged(sequence: sequence, what: "written by a newer version: " + what)
            case .unknownOutcome(let what): .outcomeUnknown(what)
            case .unavailable(let what): .unavailable(what)
            case .inDoubt(let what): .inDoubt(what)
            case .othersFirst: .unavailable("other machines keep writing to the log first")
            case .flushTooLarge: .batchTooLarge
            case .keyLength: .keyTooLong
            case .notPermitted: .readOnly
            case .readersFull: .queryBusy
            case .pruned(let through, _): .pruned(base: through)
            case .locked, .noLog, .networkFileSystem, .mapTooSmall, .contradiction, .io: .unreadable(error.description)
            }
    }

    /// Whether a caller gets it as an answer: `.outdated` causes an internal retry.
    var isRefusal: Bool { self != .outdated }

    /// Reads from the log and converts its errors.
    public static func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error) }
    }
}
