import Expressions
import Records
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import Values
import VarlinkNIO

extension DaemonService {
    var undoer: Undoer<App> { Undoer(store, history) }

    func undo(_ input: UndoMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let outcome = try Self.outcome(input.expectedOutcome)
        if let place = input.place {
            guard input.steps == nil, input.count == nil, input.force != true else { throw .invalidParameter("place") }
            let place = try Path(sent: place, of: App.shape)
            return answer(reply) { [undoer] stream in
                let undone = try await undoer.undoLastChange(
                    of: place, origin: peer.uid, isForAnyone: input.any == true, key: input.key,
                    expectedOutcome: outcome, isDryRun: input.dryRun == true)
                stream.end(UndoMethod.Output(undone))
            }
        }
        let choice: UndoRequest.Choice
        if let steps = input.steps {
            guard input.count == nil else { throw .invalidParameter("count") }
            guard 1...UndoMethod.stepsMax ~= steps.count else { throw .invalidParameter("steps") }
            choice = .steps(steps)
        } else {
            choice = .last(try Self.count(input.count))
        }
        var request = UndoRequest(choice, origin: peer.uid, key: input.key, expectedOutcome: outcome)
        request.isForAnyone = input.any == true
        request.insists = input.force == true
        request.isDryRun = input.dryRun == true
        undo(request, reply)
    }

    func redo(_ input: RedoMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        var request = UndoRequest(
            .redo(try Self.count(input.count)), origin: peer.uid, key: input.key,
            expectedOutcome: try Self.outcome(input.expectedOutcome))
        request.isForAnyone = input.any == true
        request.insists = input.force == true
        request.isDryRun = input.dryRun == true
        undo(request, reply)
    }

    func revert(_ input: RevertMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let point = try input.to.moment("to")
        let place = try input.place.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let outcome = try Self.outcome(input.expectedOutcome)
        answer(reply) { [undoer] stream in
            let (undone, target) = try await undoer.revert(
                place, to: point, origin: peer.uid, key: input.key, expectedOutcome: outcome, isDryRun: input.dryRun == true)
            stream.end(RevertMethod.Output(undone, target: target))
        }
    }

    private func undo(_ request: UndoRequest, _ reply: ReplyHandle) {
        answer(reply) { [undoer] stream in
            stream.end(UndoMethod.Output(try await undoer.undo(request)))
        }
    }

    /// What a dry run called what it came to.
    static func outcome(_ text: String?) throws(APIError) -> UInt64? {
        guard let text else { return nil }
        guard let outcome = Hexadecimal.number(text) else { throw .invalidParameter("expectedOutcome") }
        return outcome
    }

    private static func count(_ count: Int?) throws(APIError) -> Int {
        let count = count ?? 1
        guard 1...UndoMethod.stepsMax ~= count else { throw .invalidParameter("count") }
        return count
    }
}

extension UndoMethod.Output {
    init(_ undone: Undone<some NamedCommand>) {
        let answer = undone.answer
        let effects = Fitting(undone.effects) { EffectMessage($0) }
        let commands = Fitting(answer.commands ?? []) { CommandMessage($0) }
        self.init(
            epoch: answer.epoch, step: undone.step == 0 ? nil : undone.step, first: answer.sequences.first,
            last: answer.sequences.last, steps: undone.steps, duplicate: answer.isDuplicate,
            changes: answer.changes?.fitting(beside: effects.bytes + commands.bytes), commands: commands.messages,
            effects: effects.messages, commandsLeftOut: commands.leftOut, effectsLeftOut: effects.leftOut,
            outcome: answer.outcome.map(Hexadecimal.text))
    }
}

extension RevertMethod.Output {
    fileprivate init(_ undone: Undone<some NamedCommand>, target: UInt64) {
        let answer = undone.answer
        let commands = Fitting(answer.commands ?? []) { CommandMessage($0) }
        self.init(
            epoch: answer.epoch, step: undone.step == 0 ? nil : undone.step, first: answer.sequences.first,
            last: answer.sequences.last, target: target, duplicate: answer.isDuplicate,
            changes: answer.changes?.fitting(beside: commands.bytes), commands: commands.messages,
            commandsLeftOut: commands.leftOut, outcome: answer.outcome.map(Hexadecimal.text))
    }
}

extension EffectMessage {
    fileprivate init<Command: NamedCommand>(_ effect: Undone<Command>.Effect) {
        var command = CommandMessage(effect.command)
        command.id = TodoAPI.CommandID(effect.id)
        self.init(command: command, certain: effect.isCertain)
    }
}

/// The first messages of a list, as many as there is room for beside what else one answer tells.
private struct Fitting<Element: Message> {
    private(set) var messages: [Element] = []
    private(set) var bytes = 0
    /// How many more there are; `nil` for none.
    let leftOut: UInt64?

    init<Source>(_ sources: [Source], _ message: (Source) -> Element) {
        for source in sources {
            let next = message(source)
            let byteCount = next.byteCount
            if !messages.isEmpty, bytes + byteCount > AnswerLimits.pageBytesMax { break }
            messages.append(next)
            bytes += byteCount
        }
        leftOut = messages.count < sources.count ? UInt64(sources.count - messages.count) : nil
    }
}
