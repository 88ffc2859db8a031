public import ActionLogs
public import Reducing

/// Why the store does not do what it was asked.
public enum StoreError: Error, Sendable, Equatable {
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
    /// The step is no step of this uid.
    case unknownStep(UInt64)
    /// The sequence belongs to another epoch of the log.
    case epochChanged(current: UInt64)
    /// The sequence does not exist yet.
    case futureSequence(head: UInt64)
    /// No room on the disk or in the map; reads go on.
    case storageFull(String)
    /// A record is damaged; everything before it is intact.
    case damaged(sequence: UInt64, String)
    /// Whether the batch is on disk is not known; the daemon stops, and after its start the key tells.
    case outcomeUnknown(String)
    /// The answer is larger than one answer may be.
    case answerTooLarge
    /// The command has ended, or never was; or what was brought back is not what it waits for.
    case commandClosed(CommandID)
    /// An attempt at the command is under way.
    case commandRunning(CommandID)
    /// The command is held until somebody releases it.
    case commandHeld(CommandID)
    /// `Limits.openCommandsMax` commands are open already.
    case tooManyCommands
    /// So many bookmarks stand already.
    case tooManyBookmarks(max: Int)
    /// There is no bookmark of this name.
    case unknownBookmark(String)
    /// What is to be taken back has changed since; nothing was done.
    case conflict([Conflict])
    /// Something was taken back, or redacted, since the past was looked at; look again.
    case overtaken
    /// What is to be taken back has gone on since it was looked at: dispatches did that, or commands that ended; look again.
    case wentOn
    /// Too many dispatches wait already.
    case busy
    /// Too many queries wait already.
    case queryBusy
    /// The store only shows what was there; it takes no action.
    case readOnly
    /// The store is stopping.
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
            case .damaged(let sequence, let what), .undecodable(let sequence, let what): .damaged(sequence: sequence, what)
            case .newerFormat(let sequence, let what): .damaged(sequence: sequence, "written by a newer version: " + what)
            case .unknownOutcome(let what): .outcomeUnknown(what)
            case .keyLength: .keyTooLong
            case .notPermitted: .readOnly
            case .readersFull: .queryBusy
            case .locked, .networkFileSystem, .mapTooSmall, .contradiction, .pruned, .io: .unreadable(error.description)
            }
    }

    /// Reads from the log, with its errors as ours.
    public static func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error) }
    }
}

extension Refusal {
    /// What a client that dispatches a fact is told.
    static let factNotAllowed = Refusal(
        "FactNotAllowed", "What a command brings back comes from its end alone; dispatch what asks for it.")
}
