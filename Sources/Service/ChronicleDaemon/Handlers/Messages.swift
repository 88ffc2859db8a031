import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel
import TodoAPI

extension RecordMessage {
    init<App: DaemonApp>(_ record: LoggedRecord<App>) {
        let header = record.header
        self.init(
            sequence: header.sequence, time: header.time, rawTime: header.rawTime, kind: header.kind.name,
            origin: header.origin, step: header.step,
            cause: header.cause.map { TodoAPI.CommandID($0) }, outcome: header.outcome?.name,
            reason: record.lock?.reason ?? (header.reason.isEmpty ? nil : header.reason),
            due: header.due == 0 ? nil : header.due, undoes: header.undoes, restores: header.restores,
            merges: header.merges?.through, key: header.key, build: header.build, node: header.node.isEmpty ? nil : header.node,
            action: record.action?.value, bookmark: record.bookmark?.name,
            at: record.bookmark.flatMap { $0.isWithdrawn ? nil : $0.sequence },
            before: record.edit.map { $0.before.arguments(in: App.self) },
            after: record.edit.map { $0.after.arguments(in: App.self) },
            piece: record.piece.map { UInt64($0.index) }, done: record.piece?.done,
            total: record.piece.flatMap { $0.total == 0 ? nil : $0.total }, invariant: record.invariant?.name,
            expression: record.invariant.flatMap { $0.isWithdrawn ? nil : $0.text },
            commands: header.commands.enumerated().map { index, call in
                CommandMessage(ChronicleLog.CommandID(sequence: header.sequence, index: UInt32(index)), call, of: App.self)
            })
    }

    var approximateBytes: Int {
        let texts = 128 + JSON.byteCount(of: reason ?? "") + JSON.byteCount(of: bookmark ?? "")
        let edit = (before?.approximateBytes ?? 0) + (after?.approximateBytes ?? 0)
        return commands.reduce(texts + edit + (action?.approximateBytes ?? 0)) { $0 + 64 + $1.arguments.approximateBytes }
    }
}

extension CommandMessage {
    init(_ command: some NamedCommand) {
        self.init(
            name: command.name, version: command.version, presentational: command.isPresentational,
            arguments: command.arguments)
    }

    @inline(__always)
    static func list(_ commands: [some NamedCommand]) -> [CommandMessage] { commands.map { CommandMessage($0) } }

    var presentation: Value { ["name": .text(name), "version": .int(Int64(version)), "arguments": arguments] }

    init<App: DaemonApp>(_ id: ChronicleLog.CommandID, _ call: CommandCall, of app: App.Type) {
        self.init(
            id: TodoAPI.CommandID(id), name: call.name, version: call.version, presentational: call.presentational,
            arguments: call.arguments(in: App.self))
    }
}

extension CommandCall {
    /// Its arguments by name; empty if this version can't read them.
    fileprivate func arguments<App: DaemonApp>(in app: App.Type) -> Value {
        (try? App.Command(canonical: arguments))?.arguments ?? [:]
    }
}

extension CommandOutcome {
    var name: String {
        switch self {
        case .result: "result"
        case .failed: "failed"
        case .skipped: "skipped"
        case .cancelled: "cancelled"
        case .superseded: "superseded"
        }
    }
}

extension APIError {
    /// - Parameters:
    ///   - range: the available sequences, for queries of the past.
    ///   - base: the base of a compacted log, with the name of its archive.
    init(_ error: StoreError, in range: ClosedRange<UInt64>? = nil, after base: Base? = nil) {
        self =
            switch error {
            case .refused(let refusal, let action): .refused(refusal, action: action)
            case .factNotAllowed(let action): .factNotAllowed(action: action)
            case .stale(let current): .staleSequence(sequence: current)
            case .staleIndex(let current): .staleIndex(sequence: current)
            case .keyReused: .keyReused
            case .keyTooLong: .keyTooLong
            case .batchTooLarge: .batchTooLarge
            case .unknownOwnStep(let step): .unknownOwnStep(step)
            case .epochChanged(let current): .epochChanged(epoch: current)
            case .tooManyCommands: .tooManyCommands
            case .tooManyDelayedCommands(let max, let uid): .tooManyDelayedCommands(max: max, uid: uid)
            case .commandClosed(let id): .commandClosed(id: TodoAPI.CommandID(id))
            case .commandRunning(let id): .commandRunning(id: TodoAPI.CommandID(id))
            case .commandHeld(let id): .commandHeld(id: TodoAPI.CommandID(id))
            case .badArguments(let id, let mismatch):
                .badArguments(message: mismatch.message, id: TodoAPI.CommandID(id), path: mismatch.path)
            case .tooManyBookmarks(let max, let uid): .tooManyBookmarks(max: max, uid: uid)
            case .unknownBookmark(let name): .unknownBookmark(bookmark: name)
            case .badBookmark(let name, let why): .badBookmark(message: why, bookmark: name)
            case .futureSequence(let head):
                .futureSequence(first: range?.lowerBound ?? 0, last: range?.upperBound ?? head)
            case .pruned(let told):
                // After another compaction, its archive is not the requested one.
                .prunedSequence(
                    first: max(range?.lowerBound ?? told, told), last: max(range?.upperBound ?? told, told),
                    archive: base?.sequence == told ? base?.archive : nil)
            case .emptyRange(let from, let to): .emptyRange(from: from, to: to)
            case .badEdit(let index, let message): .badAlteration(message: message, alteration: index)
            case .refusedEdit(let index, let refusal): .refused(refusal, action: index)
            case .tooManySteps(let sequence): .tooManySteps(reached: sequence)
            case .answerTooLarge: .answerTooLarge
            case .compacted: .overtaken
            case .nothingToUndo: .nothingToUndo
            case .nothingToRedo: .nothingToRedo
            case .unknownStep(let step): .unknownStep(step: step)
            case .alreadyUndone(let step, let undoing): .notStanding(step: step, undoing: undoing)
            case .notYourStep(let step, let uid): .stepOfAnother(step: step, uid: uid)
            case .nothingLeft(let step): .nothingLeft(step: step)
            case .invariantBroken(let name, let expression, let changes):
                .invariantBroken(name: name, expression: expression, changes: changes.fitting() ?? [])
            case .invariantTooCostly(let name): .invariantTooCostly(name: name, max: Limits.judgingStepsMax)
            case .requirementBroken(let expression): .requirementBroken(expression: expression)
            case .requirementTooLong:
                .badExpression(
                    message: "the requirement takes more than \(Limits.requirementStepsMax) steps to evaluate; loop over less",
                    column: 1)
            case .tooManyInvariants(let max): .tooManyInvariants(max: max)
            case .unknownInvariant(let name): .unknownInvariant(invariant: name)
            case .badFork(let message): .badFork(message: message)
            case .mergedMeanwhile(let again, let meanwhile, let isPruned):
                .mergedMeanwhile(again, in: meanwhile, isPruned: isPruned)
            case .withinChange(let before, let after): .withinChange(first: before + 1, before: before, after: after)
            case .noSuchPlace(let place): .unknownPlace(place: place)
            case .conflict(let conflicts): .changedSince(conflicts)
            case .locked(let lock):
                .locked(reason: lock.reason, origin: lock.origin, sequence: lock.record)
            case .stateFull(let bytes, let max): .stateFull(bytes: UInt64(bytes), max: max)
            case .storageFull(let message):
                .storageFull(
                    message: message.capitalizedFirst + ". Nothing was changed; reads continue.")
            case .damaged(let sequence, _), .undecodable(let sequence, _): .damagedRecord(sequence: sequence)
            case .outcomeUnknown:
                .outcomeUnknown(
                    message: "The disk failed; it is unknown whether this is in the log. Retry with the same key.")
            case .inDoubt:
                .outcomeUnknown(
                    message:
                        "The cluster did not answer in time; the outcome is known once it answers. Retry with the same "
                        + "key.")
            case .unavailable(let what): .unavailable(message: what)
            case .outdated, .busy: .storeBusy
            case .queryBusy: .queryBusy
            case .readOnly: .readOnly
            case .stopping: .stopping
            case .unreadable(let message): .unreadable(message: message)
            }
    }

    private static func tooManySteps(reached sequence: UInt64) -> APIError {
        .badExpression(
            message:
                "the expression takes more than \(HistoryLimits.expressionStepsMax) steps and was evaluated as far as record "
                + "\(sequence); narrow the range, nest fewer loops, or look through fewer long texts",
            column: 1)
    }
}

extension TodoAPI.CommandID {
    init(_ id: ChronicleLog.CommandID) { self.init(sequence: id.sequence, index: Int(id.index)) }
}
