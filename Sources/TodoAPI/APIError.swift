public import Reducing
public import Varlink

/// Every error that a method of ours answers, with what a caller needs to go on.
public enum APIError: Error, Sendable, Equatable {
    /// A parameter is unknown, missing or of another type.
    case invalidParameter(String)
    /// The peer may not do this.
    case permissionDenied
    /// A method that streams was called without `more`.
    case expectedMore
    /// A rule says no; `action` is the index in the batch.
    case refused(Refusal, action: Int)
    /// The shape is that of no action; the path begins at the action.
    case badAction(ValueMismatch, action: Int)
    /// There is no feature of that name.
    case unknownFeature(String)
    /// There is no scope of that name.
    case unknownScope(String, known: [String])
    /// The log or the scope changed last at `sequence`, after what was expected.
    case staleSequence(sequence: UInt64)
    /// The same, for an action that names an element by its index.
    case staleIndex(sequence: UInt64)
    /// The key was used before with other actions.
    case keyReused
    /// The key is longer than 64 bytes.
    case keyTooLong
    /// There is no such earlier step.
    case unknownStep(UInt64)
    /// None of the same uid that a dispatch could continue.
    case unknownOwnStep(UInt64)
    /// There is no step of this peer that could be taken back.
    case nothingToUndo
    /// Nothing was taken back, or something new was done since.
    case nothingToRedo
    /// The step was taken back before.
    case notStanding(UInt64)
    /// The step is that of another uid.
    case stepOfAnother(UInt64, uid: UInt32)
    /// Nothing is left of what the step did.
    case nothingLeft(UInt64)
    /// What is to be taken back has changed since; here is what.
    case changedSince([Conflict])
    /// A batch above the limit of records or bytes.
    case batchTooLarge
    /// An answer above 1 MiB without `more`.
    case answerTooLarge
    /// The answer of a dry run that tells more than one answer may.
    case trialTooLarge
    /// The store is in the epoch given here.
    case epochChanged(UInt64)
    /// The moment has not come yet; the first and the last that can be asked for.
    case futureSequence(first: UInt64, last: UInt64)
    /// The records there are gone, or never were; the first and the last moment that can be asked for.
    case prunedSequence(first: UInt64, last: UInt64, archive: String? = nil)
    /// The first moment of a range comes after its last.
    case emptyRange(from: UInt64, to: UInt64)
    /// There is no bookmark of this name.
    case unknownBookmark(String)
    /// No bookmark can have this name; `message` says why.
    case badBookmark(String, message: String)
    /// So many bookmarks stand already that no further one can be set.
    case tooManyBookmarks(max: Int)
    /// The text is no expression, or no path, from this column on, or asks there for what no state has.
    case badExpression(message: String, column: Int)
    /// The record holds no text.
    case nothingToRedact(sequence: UInt64)
    /// Nobody is handing over a file of this number.
    case unknownUpload(UInt64)
    /// What is to be imported is risky or impossible, for these reasons.
    case importRefused(verdict: String, reasons: [String])
    /// History can't be altered like that: which of the alterations, from 0; `message` says why.
    case badAlteration(Int, message: String)
    /// The record does not have its checksum.
    case damagedRecord(sequence: UInt64)
    /// The log can't be copied to that place; `message` says why, and what to do.
    case backupRefused(message: String)
    /// No room on the disk or in the map; `message` says which, and what ends it.
    case storageFull(message: String)
    /// The disk failed, and nobody knows what is on it.
    case outcomeUnknown
    /// The daemon serves a log for inspection only.
    case readOnly
    /// There never was such a command.
    case unknownCommand(CommandID)
    /// The command has ended.
    case commandClosed(CommandID)
    /// An attempt at the command is under way.
    case commandRunning(CommandID)
    /// The command is held until somebody releases it.
    case commandHeld(CommandID)
    /// So many commands are open that no dispatch may ask for more.
    case tooManyCommands
    /// The queue of dispatches is full.
    case storeBusy
    /// The queue of reads is full.
    case queryBusy
    /// This peer, or everybody together, has too many connections.
    case tooManyConnections
    /// The daemon is stopping.
    case stopping
    /// The log was compacted while it was checked.
    case overtaken
    /// Reading failed for another reason.
    case unreadable(message: String)
}

extension APIError {
    /// The full name of the error.
    public var name: String {
        switch self {
        case .invalidParameter: "org.varlink.service.InvalidParameter"
        case .permissionDenied: "org.varlink.service.PermissionDenied"
        case .expectedMore: "org.varlink.service.ExpectedMore"
        default: "org.todod.Store." + shortName
        }
    }

    private var shortName: String {
        switch self {
        case .invalidParameter, .permissionDenied, .expectedMore: ""
        case .refused(let refusal, _): refusal.name
        case .badAction: "BadAction"
        case .unknownFeature: "UnknownFeature"
        case .unknownScope: "UnknownScope"
        case .staleSequence: "StaleSequence"
        case .staleIndex: "StaleIndex"
        case .keyReused: "KeyReused"
        case .keyTooLong: "KeyTooLong"
        case .unknownStep, .unknownOwnStep: "UnknownStep"
        case .nothingToUndo: "NothingToUndo"
        case .nothingToRedo: "NothingToRedo"
        case .notStanding: "NotStanding"
        case .stepOfAnother: "StepOfAnother"
        case .nothingLeft: "NothingLeft"
        case .changedSince: "ChangedSince"
        case .batchTooLarge: "BatchTooLarge"
        case .answerTooLarge, .trialTooLarge: "AnswerTooLarge"
        case .epochChanged: "EpochChanged"
        case .futureSequence: "FutureSequence"
        case .prunedSequence: "PrunedSequence"
        case .emptyRange: "EmptyRange"
        case .unknownBookmark: "UnknownBookmark"
        case .badBookmark: "BadBookmark"
        case .tooManyBookmarks: "TooManyBookmarks"
        case .badExpression: "BadExpression"
        case .nothingToRedact: "NothingToRedact"
        case .unknownUpload: "UnknownUpload"
        case .importRefused: "ImportRefused"
        case .badAlteration: "BadAlteration"
        case .damagedRecord: "DamagedRecord"
        case .backupRefused: "BackupRefused"
        case .storageFull: "StorageFull"
        case .outcomeUnknown: "OutcomeUnknown"
        case .readOnly: "ReadOnly"
        case .unknownCommand: "UnknownCommand"
        case .commandClosed: "CommandClosed"
        case .commandRunning: "CommandRunning"
        case .commandHeld: "CommandHeld"
        case .tooManyCommands: "TooManyCommands"
        case .storeBusy: "StoreBusy"
        case .queryBusy: "QueryBusy"
        case .tooManyConnections: "TooManyConnections"
        case .stopping: "Stopping"
        case .overtaken: "Overtaken"
        case .unreadable: "Unreadable"
        }
    }

    /// A sentence for a person.
    public var message: String {
        switch self {
        case .invalidParameter(let name): "The parameter \(name) is unknown, missing or of another type."
        case .permissionDenied: "You may not do this."
        case .expectedMore: "This method streams and must be called with more."
        case .refused(let refusal, _): refusal.message
        case .badAction(let mismatch, _): mismatch.message
        case .unknownFeature(let name): "There is no feature named \(name)."
        case .unknownScope(let name, let known):
            "There is no scope named \(name); there are \(known.joined(separator: ", ")), and the fields of each."
        case .staleSequence(let sequence): "It has changed since: last at \(sequence). Read it again."
        case .staleIndex(let sequence):
            "An index counts in the list as it was at expectedSequence, given with its scope; it has changed since: last at "
                + "\(sequence). Read it again, or name the element by its id."
        case .keyReused: "This key was used before with other actions."
        case .keyTooLong: "A key has at most 64 bytes."
        case .unknownStep(let step): "There is no earlier step \(step)."
        case .unknownOwnStep(let step): "There is no earlier step \(step) of yours."
        case .nothingToUndo: "There is nothing to undo."
        case .nothingToRedo: "There is nothing to redo: nothing was undone, or something new was done since."
        case .notStanding(let step): "Step \(step) was taken back already."
        case .stepOfAnother(let step, let uid): "Step \(step) is that of uid \(uid). Say that you mean anyone's (--any)."
        case .nothingLeft(let step): "Nothing is left of what step \(step) did."
        case .changedSince(let conflicts):
            "It has changed since: \(conflicts.first?.path ?? "")\(conflicts.count > 1 ? " and more" : ""). Nothing was done."
        case .batchTooLarge: "This is too much for one batch. Dispatch it in parts."
        case .answerTooLarge: "The answer is larger than 1 MiB. Call with more, or ask for a smaller scope."
        case .trialTooLarge: "This would change more than one answer can tell. Try fewer actions at once."
        case .epochChanged(let epoch): "The store was restored or copied and is in epoch \(epoch) now. Read it again."
        case .futureSequence(let first, let last):
            "That has not happened yet; moments from \(first) to \(last) can be asked for."
        case .prunedSequence(let first, let last, let archive):
            "That is not in the log; moments from \(first) to \(last) can be asked for."
                + (archive.map { " What was before is in \($0), or in an archive before it." } ?? "")
        case .emptyRange(let from, let to): "The range begins at \(from) and ends before it, at \(to)."
        case .unknownBookmark(let name): "There is no bookmark named \(name)."
        case .tooManyBookmarks(let max): "There are \(max) bookmarks already. Remove one that is not needed, or move it."
        case .badBookmark(_, let message), .badExpression(let message, _): message
        case .badAlteration(_, let message): message
        case .nothingToRedact(let sequence): "Record \(sequence) holds no text that can be taken out."
        case .unknownUpload(let number): "There is no upload \(number), or another one took its place."
        case .importRefused(let verdict, let reasons): "To import this is \(verdict): \(reasons.joined(separator: " "))"
        case .damagedRecord(let sequence): "Record \(sequence) is damaged."
        case .backupRefused(let message), .storageFull(let message): message
        case .outcomeUnknown: "The disk failed; whether this is in the log is unknown. Ask again with the same key."
        case .readOnly: "The daemon serves this log for inspection only."
        case .unknownCommand(let id): "There never was a command \(id.text)."
        case .commandClosed(let id): "The command \(id.text) has ended."
        case .commandRunning(let id): "An attempt at the command \(id.text) is under way. Wait for it, or cancel the command."
        case .commandHeld(let id): "The command \(id.text) is held until somebody releases it."
        case .tooManyCommands: "Too many commands are open already. Wait until some have ended, or skip those that are parked."
        case .storeBusy: "Too many dispatches wait already, or a history is being taken over. Try again."
        case .queryBusy: "Too many reads wait already, of everybody or of this user. Try again."
        case .tooManyConnections: "There are too many connections already. Try again."
        case .stopping: "The daemon is stopping. Try again."
        case .overtaken: "The log was compacted while it was checked. Check it again."
        case .unreadable(let message): message
        }
    }

    /// The parameters, in the order of the interface description.
    public var parameters: [JSON.Member] {
        switch self {
        case .invalidParameter(let name): [JSON.Member(name: "parameter", value: .string(name))]
        case .permissionDenied, .expectedMore: []
        default: [JSON.Member(name: "message", value: .string(message))] + details
        }
    }

    /// How many conflicts are looked for: where there are so many, there may be more.
    public static let conflictsFoundMax = 1_000
    /// How many conflicts an error lists.
    public static let conflictsMax = 100
    /// Bytes of the conflicts that an error lists, as JSON; one may go beyond it.
    public static let conflictsBytesMax = 256 << 10

    private static func details(of conflicts: [Conflict]) -> [JSON.Member] {
        var listed: [JSON] = []
        var bytes = 0
        for conflict in conflicts.prefix(conflictsMax) {
            let json = conflict.json
            bytes += json.bytes.count
            if !listed.isEmpty, bytes > conflictsBytesMax { break }
            listed.append(json)
        }
        let leftOut = conflicts.count - listed.count
        return [
            .init(name: "conflicts", value: .array(listed)),
            .init(name: "leftOut", value: leftOut > 0 ? .int(Int64(leftOut)) : .null),
        ]
    }

    private var details: [JSON.Member] {
        switch self {
        case .refused(_, let action): [.init(name: "action", value: .int(Int64(action)))]
        case .badAction(let mismatch, let action):
            [.init(name: "action", value: .int(Int64(action))), .init(name: "path", value: .string(mismatch.path))]
        case .unknownFeature(let feature): [.init(name: "feature", value: .string(feature))]
        case .unknownScope(let scope, _): [.init(name: "scope", value: .string(scope))]
        case .stepOfAnother(let step, let uid):
            [.init(name: "step", value: .int(Int64(clamping: step))), .init(name: "uid", value: .int(Int64(uid)))]
        case .changedSince(let conflicts): APIError.details(of: conflicts)
        case .unknownStep(let step), .unknownOwnStep(let step), .notStanding(let step), .nothingLeft(let step):
            [.init(name: "step", value: .int(Int64(clamping: step)))]
        case .unknownCommand(let id), .commandClosed(let id), .commandRunning(let id), .commandHeld(let id):
            [.init(name: "id", value: id.json)]
        case .epochChanged(let epoch): [.init(name: "epoch", value: .int(Int64(clamping: epoch)))]
        case .futureSequence(let first, let last):
            [.init(name: "first", value: .int(Int64(clamping: first))), .init(name: "last", value: .int(Int64(clamping: last)))]
        case .prunedSequence(let first, let last, let archive):
            [.init(name: "first", value: .int(Int64(clamping: first))), .init(name: "last", value: .int(Int64(clamping: last)))]
                + [.init(name: "archive", value: archive.map { .string($0) } ?? .null)]
        case .emptyRange(let from, let to):
            [.init(name: "from", value: .int(Int64(clamping: from))), .init(name: "to", value: .int(Int64(clamping: to)))]
        case .unknownBookmark(let name), .badBookmark(let name, _): [.init(name: "bookmark", value: .string(name))]
        case .tooManyBookmarks(let max): [.init(name: "max", value: .int(Int64(max)))]
        case .badExpression(_, let column): [.init(name: "column", value: .int(Int64(column)))]
        case .badAlteration(let index, _): [.init(name: "alteration", value: .int(Int64(index)))]
        case .nothingToRedact(let sequence): [.init(name: "sequence", value: .int(Int64(clamping: sequence)))]
        case .unknownUpload(let number): [.init(name: "upload", value: .int(Int64(clamping: number)))]
        case .importRefused(let verdict, _): [.init(name: "verdict", value: .string(verdict))]
        case .staleSequence(let sequence), .staleIndex(let sequence), .damagedRecord(let sequence):
            [.init(name: "sequence", value: .int(Int64(clamping: sequence)))]
        default: []
        }
    }
}
