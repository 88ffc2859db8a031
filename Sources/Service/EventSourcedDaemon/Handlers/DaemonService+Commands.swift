import Records
import Reducing
import StoreRuntime
import Synchronization
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func commands(_ input: CommandsMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [store] stream in
            let commands = try await store.commands().map { OpenCommandMessage($0) }
            try await stream.end(list: commands, inPages: more, bytes: \.byteCount) { CommandsMethod.Output(commands: $0) }
        }
    }

    func followCommands(_ input: FollowCommandsMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        answerSubscriber(reply) { [store] stream in
            try await store.watchCommands { commands in
                var rest = commands[...]
                repeat {
                    // Not all of them at once: whoever does not read keeps a page for itself, and the list with all others.
                    let few = rest.prefix(Pager<OpenCommandMessage>.elementsMax).map { OpenCommandMessage($0) }
                    var pages = Pager(few, bytes: \.byteCount)
                    let page = pages.next()
                    rest = rest.dropFirst(page.count)
                    try await stream.deliver(FollowCommandsMethod.Output(commands: page, complete: rest.isEmpty))
                } while !rest.isEmpty
            }
        }
    }

    func retryCommand(_ input: RetryCommandMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        order(.retry(try input.id.logged, by: peer.uid), about: input.id, reply)
    }

    func skipCommand(_ input: RetryCommandMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        order(.skip(try input.id.logged, by: peer.uid), about: input.id, reply)
    }

    func cancelCommand(_ input: RetryCommandMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        order(.cancel(try input.id.logged, by: peer.uid), about: input.id, reply)
    }

    func editCommand(_ input: EditCommandMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        order(.edit(try input.id.logged, arguments: input.arguments, by: peer.uid), about: input.id, reply)
    }

    func hold(_ input: HoldMethod.Input, from peer: Peer, _ reply: ReplyHandle) { order(.hold(by: peer.uid), about: nil, reply) }

    func release(_ input: ReleaseMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        order(.release(by: peer.uid), about: nil, reply)
    }

    private func order(_ order: CommandOrder<App.Action>, about id: TodoAPI.CommandID?, _ reply: ReplyHandle) {
        answer(reply) { [store, files] stream in
            do throws(StoreError) {
                let answer = try await store.submit(order)
                stream.end(HoldMethod.Output(epoch: answer.epoch, sequences: Array(answer.sequences)))
            } catch {
                guard case .commandClosed = error, let id else { throw error }
                if let base = files.log.base, 1...base.sequence ~= id.sequence { throw StoreError.pruned(base: base.sequence) }
                throw try await store.hasAsked(for: id) ? APIError.commandClosed(id: id) : APIError.unknownCommand(id: id)
            }
        }
    }
}

extension Store {
    /// Whether a record asked for this command.
    fileprivate nonisolated func hasAsked(for id: TodoAPI.CommandID) async throws -> Bool {
        guard (1...max(1, present.sequence)).contains(id.sequence) else { return false }
        let commands = try await records(from: id.sequence, through: id.sequence).first?.header.commands ?? []
        return commands.indices.contains(id.index) && !commands[id.index].presentational
    }
}

extension TodoAPI.CommandID {
    fileprivate var logged: Records.CommandID {
        get throws(APIError) {
            guard let index = UInt32(exactly: index) else { throw .invalidParameter("id.index") }
            return Records.CommandID(sequence: sequence, index: index)
        }
    }
}

extension OpenCommandMessage {
    fileprivate init(_ command: OpenCommand<some NamedCommand>) {
        let row = command.row
        self.init(
            id: TodoAPI.CommandID(sequence: row.id.sequence, index: Int(row.id.index)), name: row.call.name,
            version: row.call.version, arguments: command.command?.arguments, stage: row.stage.name, attempts: row.attempts,
            due: row.due == 0 ? nil : row.due, reason: row.reason.isEmpty ? nil : row.reason, held: row.isHeld,
            depth: row.depth, step: row.step, origin: row.origin, edited: row.edited == 0 ? nil : row.edited,
            pieces: row.pieces == 0 ? nil : UInt64(row.pieces), done: row.pieces == 0 ? nil : row.done,
            total: row.total == 0 ? nil : row.total)
    }
}

extension OutboxRow.Stage {
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .started: "started"
        case .parked: "parked"
        }
    }
}
