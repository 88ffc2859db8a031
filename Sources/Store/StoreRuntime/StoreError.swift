public import Records
public import Reducing

/// Why the store does not do what it was asked, or has no answer.
public enum StoreError: Error, Sendable, Equatable {
    // What was dispatched.

    /// A rule of a feature refuses the action at this index of the batch.
    case refused(Refusal, action: Int)
    /// The scope, or the log, has grown beyond the expected sequence.
    case stale(current: UInt64)
    /// An index was meant for a list that has changed since, or comes without the sequence at which it was seen.
    case staleIndex(current: UInt64)
    /// The key was used for other actions.
    case keyReused
    /// The key is empty or longer than `Limits.keyBytesMax`.
    case keyTooLong
    /// More than `Limits.batchRecordsMax` records.
    case batchTooLarge
    /// The step that a dispatch continues is no step of this uid.
    case unknownOwnStep(UInt64)
    /// The sequence belongs to another epoch of the log.
    case epochChanged(current: UInt64)
    /// `Limits.openCommandsMax` commands are open already.
    case tooManyCommands
    /// Too many scheduled commands, in total or of one uid.
    case tooManyDelayedCommands(max: Int, of: UInt32? = nil)

    /// The state would not meet a condition that it must meet: its name, the condition, and what would have changed; no changes where those are too many.
    case invariantBroken(String, String, [Change])
    /// To judge the state by all conditions that it must meet takes more than `Limits.judgingStepsMax` steps: none were left for the one of this name.
    case invariantTooCostly(String)
    /// The state would not meet what the dispatch requires.
    case requirementBroken(String)
    /// What the dispatch requires takes more than `Limits.requirementStepsMax` steps to judge.
    case requirementTooLong
    /// So many conditions stand already.
    case tooManyInvariants(max: Int)
    /// There is no condition of this name.
    case unknownInvariant(String)

    // Commands and bookmarks.

    /// The command has ended, or never was; or what was brought back is not what it waits for.
    case commandClosed(CommandID)
    /// An attempt at the command is under way.
    case commandRunning(CommandID)
    /// The command is held until somebody releases it.
    case commandHeld(CommandID)
    /// The arguments are none of this command: where they don't fit, and why.
    case badArguments(CommandID, ValueMismatch)
    /// Too many bookmarks, in total or of one uid.
    case tooManyBookmarks(max: Int, of: UInt32? = nil)
    /// There is no bookmark of this name.
    case unknownBookmark(String)
    /// A name that no bookmark may have, and why.
    case badBookmark(String, why: String)

    // Subscriptions.

    /// There is no subscription of this name.
    case unknownSubscription(String)
    /// A subscription that can be none, and why.
    case badSubscription(String, why: String)
    /// There are so many subscriptions already.
    case tooManySubscriptions(max: Int)
    /// Of this uid there are so many subscriptions already.
    case tooManySubscriptionsOfOwner(UInt32, max: Int)
    /// The row of this subscription is damaged.
    case damagedSubscription(String)
    /// The subscription is that of this uid.
    case notYourSubscription(String, uid: UInt32)

    // What is asked for of the past.

    /// The moment has not come yet; the head is the last that can be asked for.
    case futureSequence(head: UInt64)
    /// The records there were compacted away, or never were; the base is the first moment that can be asked for.
    case pruned(base: UInt64)
    /// The first moment of a range comes after the last.
    case emptyRange(from: UInt64, to: UInt64)
    /// History can't be altered like that: which of the alterations, from 0, and why.
    case alteration(Int, String)
    /// `prepare` refuses the action of this alteration where it stands.
    case refusedAlteration(Int, Refusal)
    /// An expression takes more steps than one question may have; the first moment in which it was not evaluated.
    case tooManySteps(reached: UInt64)
    /// The answer is larger than one answer may be.
    case answerTooLarge
    /// The log was compacted while it was looked through.
    case compacted

    // What is taken back.

    case nothingToUndo
    /// There is nothing to redo: nothing was undone, or something new was done since.
    case nothingToRedo
    /// There is no such step.
    case unknownStep(UInt64)
    /// The step was taken back before, by another one that stands.
    case alreadyUndone(UInt64, by: UInt64)
    /// The step is that of another uid.
    case notYourStep(UInt64, uid: UInt32)
    /// Nothing is left of what the step did.
    case nothingLeft(UInt64)
    /// What is to be taken back has changed since; nothing was done.
    case conflict([Conflict])
    /// A fork can't be merged, and why, as a sentence.
    case badFork(String)
    /// What this step, a merge, brought would be here again by an undo, and came meanwhile in another step.
    case mergedMeanwhile(UInt64, in: UInt64, isPruned: Bool = false)
    /// The moment to go back to lies in the middle of a change; the moments before and behind that.
    case withinChange(before: UInt64, after: UInt64)
    /// There is no such place, now and then, that can be put back by itself.
    case noSuchPlace(String)
    /// Something was taken back, or redacted, since the past was looked at; look again.
    case overtaken
    /// What is to be taken back has gone on since it was looked at: dispatches did that, or commands that ended; look again.
    case wentOn

    // How the store is.

    /// The log is locked until somebody unlocks it; reads go on.
    case locked(Lock)
    /// The state would exceed `StoreOptions.stateBytesMax`, in estimated bytes. Changes that do not enlarge it are accepted.
    case stateFull(bytes: Int, max: Int)
    /// No room on the disk or in the map; reads go on.
    case storageFull(String)
    /// A record is damaged, or a newer version wrote it; everything before it is intact.
    case damaged(sequence: UInt64, what: String)
    /// A record is as it was written, and this version can't read its action.
    case undecodable(sequence: UInt64, what: String)
    /// Whether the batch is on disk is not known; the daemon stops, and after its start the key tells.
    case outcomeUnknown(String)
    /// A log that several machines share takes nothing at present; nothing was done, and reads go on.
    case unavailable(String)
    /// It is not known yet whether it was done, and the log that several machines share will tell; a later dispatch under the same key finds out.
    case inDoubt(String)
    /// Too many dispatches wait already.
    case busy
    /// Too many queries wait already.
    case queryBusy
    /// The store only shows what was there; it takes no action.
    case readOnly
    /// The store is stopping, or whoever asked is gone.
    case stopping
    /// Reading failed.
    case unreadable(String)
}

extension StoreError {
    /// What an error of the log means for a caller.
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
            case .othersFirst: .unavailable("others write to the log all the time, and first")
            case .flushTooLarge: .batchTooLarge
            case .keyLength: .keyTooLong
            case .notPermitted: .readOnly
            case .readersFull: .queryBusy
            case .pruned(let through, _): .pruned(base: through)
            case .locked, .noLog, .networkFileSystem, .mapTooSmall, .contradiction, .io: .unreadable(error.description)
            }
    }

    /// Reads from the log, with its errors as ours.
    public static func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error) }
    }
}

extension Refusal {
    /// What a client that dispatches a fact is told.
    package static let factNotAllowed = Refusal(
        "FactNotAllowed", "What a command brings back comes from its end alone; dispatch what asks for it.")
}
