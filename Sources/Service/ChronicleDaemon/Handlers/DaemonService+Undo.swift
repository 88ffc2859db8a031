import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    var undoer: Undoer<App> { Undoer(store, history) }

    func undo(_ input: UndoMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let call = UndoCall(
            origin: peer.uid, isForAnyone: input.any == true, insists: input.force == true, key: input.key,
            expectedOutcome: try Self.outcome(input.expectedOutcome), isDryRun: input.dryRun == true)
        let isRedo = input.redo == true
        if let place = input.place {
            guard input.steps == nil, input.count == nil, input.force != true, !isRedo else { throw .invalidParameter("place") }
            let place = try Path(sent: place, of: App.shape)
            return answer(reply) { [undoer] stream in
                stream.end(UndoMethod.Output(try await undoer.undoLastChange(of: place, call)))
            }
        }
        let choice: UndoChoice
        if let steps = input.steps {
            guard input.count == nil else { throw .invalidParameter("count") }
            guard 1...UndoMethod.stepsMax ~= steps.count, !isRedo else { throw .invalidParameter("steps") }
            choice = .steps(steps)
        } else {
            let count = input.count ?? 1
            guard 1...UndoMethod.stepsMax ~= count else { throw .invalidParameter("count") }
            choice = isRedo ? .redo(count) : .last(count)
        }
        answer(reply) { [undoer] stream in stream.end(UndoMethod.Output(try await undoer.undo(choice, call))) }
    }

    func revert(_ input: RevertMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let point = try input.to.moment("to")
        let place = try input.place.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let outcome = try Self.outcome(input.expectedOutcome)
        answer(reply) { [undoer] stream in
            let (undone, target) = try await undoer.revert(
                place, to: point,
                UndoCall(origin: peer.uid, key: input.key, expectedOutcome: outcome, isDryRun: input.dryRun == true))
            stream.end(RevertMethod.Output(undone, target: target))
        }
    }

    func mergeFork(_ input: MergeForkMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let outcome = try Self.outcome(input.expectedOutcome)
        answer(reply) { [files, undoer] stream in
            let file = try await files.uploads.file(input.upload, of: peer.uid)
            let fork = try await files.imports.run { _ in
                try await ForkRecords<App>(file.descriptor, through: input.through ?? .max)
            }
            let undone = try await undoer.merge(
                fork,
                UndoCall(
                    origin: peer.uid, insists: input.force == true, key: input.key, expectedOutcome: outcome,
                    isDryRun: input.dryRun == true))
            stream.end(MergeForkMethod.Output(undone))
        }
    }

    func steps(_ input: StepsMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let start = history.steps(of: input.any == true ? nil : peer.uid, limit: Int(clamping: input.limit ?? .max))
        answer(reply) { [history] stream in
            var cursor = start
            while cursor.hasMore {
                let found = try await history.page(of: &cursor).map { StepEntryMessage($0) }
                if !cursor.hasMore { return stream.end(StepsMethod.Output(steps: found)) }
                try await stream.send(StepsMethod.Output(steps: found, reached: found.isEmpty ? cursor.reached : nil))
            }
            stream.end(StepsMethod.Output(steps: []))
        }
    }

    static func outcome(_ text: String?) throws(APIError) -> UInt64? {
        guard let text else { return nil }
        guard let outcome = Hexadecimal.number(text) else { throw .invalidParameter("expectedOutcome") }
        return outcome
    }
}

extension UndoMethod.Output {
    init(_ undone: Undone<some NamedCommand>, target: UInt64? = nil) {
        let answer = undone.answer
        let (effects, commands) = (undone.effects.map { EffectMessage($0) }, CommandMessage.list(answer.commands ?? []))
        var (effectBytes, commandBytes) = (AnswerLimits.pageBytesMax, AnswerLimits.pageBytesMax)
        let firstEffects = effects.fitting(&effectBytes, bytes: \.byteCount)
        let firstCommands = commands.fitting(&commandBytes, bytes: \.byteCount)
        let others = 2 * AnswerLimits.pageBytesMax - effectBytes - commandBytes
        func leftOut(_ count: Int) -> UInt64? { count == 0 ? nil : UInt64(count) }
        self.init(
            epoch: answer.epoch, step: undone.step == 0 ? nil : undone.step, first: answer.sequences.first,
            last: answer.sequences.last, target: target, steps: target == nil ? undone.steps : [], duplicate: answer.isDuplicate,
            changes: answer.changes?.fitting(beside: others), commands: firstCommands, effects: firstEffects,
            commandsLeftOut: leftOut(commands.count - firstCommands.count),
            effectsLeftOut: leftOut(effects.count - firstEffects.count),
            outcome: answer.outcome.map(Hexadecimal.text))
    }
}

extension EffectMessage {
    fileprivate init<Command: NamedCommand>(_ effect: Undone<Command>.Effect) {
        var command = CommandMessage(effect.command)
        command.id = TodoAPI.CommandID(effect.id)
        self.init(command: command, certain: effect.isCertain)
    }
}

extension ForkRecords where App: DaemonApp {
    /// Reads an export of a fork that begins after the last shared record.
    /// - Throws: `badFork`, `compactedFork`, and the errors of `add`.
    fileprivate init(_ descriptor: Int32, through: UInt64) async throws {
        do {
            var file = ExportFile(descriptor: descriptor)
            let header = try file.header()
            guard header.baseBytes == nil else { throw APIError.compactedFork(through: header.first - 1) }
            self.init(
                epoch: header.epoch, point: header.first - 1, chain: header.before, now: StoreClock.system.wall(),
                through: through)
            _ = try await file.readRecords(of: header) { record, _, _ in try add(record) }
            guard end.chain == header.checksum else { throw ImportFailure.recordsMissing }
        } catch let failure as ImportFailure {
            throw StoreError.badFork(failure.sentence)
        }
    }
}

extension StepEntryMessage {
    fileprivate init(_ step: StepSummary) {
        let (stage, by): (String, UInt64?) =
            switch step.stage {
            case .standing: ("standing", nil)
            case .undone(let by): ("undone", by)
            case .redone(let by): ("redone", by)
            }
        let ends = step.ends.sorted { $0.key.rawValue < $1.key.rawValue }
        self.init(
            step: step.step, last: step.last, records: step.records, origin: step.origin, time: step.time,
            actions: step.actions, stage: stage, by: by,
            ends: ends.map { StepEndsMessage(outcome: $0.key.name, count: UInt64($0.value)) },
            open: step.open == 0 ? nil : UInt64(step.open), merges: step.merges?.through, fork: step.merges?.epoch,
            request: step.isRequest ? true : nil)
    }
}
