import Chronicle
import ChronicleLog
import ChronicleStore
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
                    // Page by page: a slow reader holds one page, and shares the list with all others.
                    var few = rest.prefix(AnswerLimits.pageElementsMax).map { OpenCommandMessage($0) }[...]
                    let page = few.takePage(bytes: \.byteCount)
                    rest = rest.dropFirst(page.count)
                    try await stream.deliver(FollowCommandsMethod.Output(commands: page, complete: rest.isEmpty))
                } while !rest.isEmpty
            }
        }
    }

    func changeCommand(_ input: ChangeCommandMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let (id, uid) = (try input.id.logged, peer.uid)
        guard (input.operation == .edit) == (input.arguments != nil) else { throw .invalidParameter("arguments") }
        let order: CommandOrder<App.Action> =
            switch input.operation {
            case .retry: .retry(id, by: uid)
            case .skip: .skip(id, by: uid)
            case .cancel: .cancel(id, by: uid)
            case .edit: .edit(id, arguments: input.arguments ?? [:], by: uid)
            }
        change(reply, of: input.id) { [store] () throws(StoreError) in try await store.submit(order) }
    }

    func hold(_ input: HoldMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        change(reply) { [store] () throws(StoreError) in
            try await store.submit(input.on ? .hold(by: peer.uid) : .release(by: peer.uid))
        }
    }

    func lock(_ input: LockMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard input.on == (input.reason != nil), 1...LockMethod.reasonBytesMax ~= input.reason?.utf8.count ?? 1 else {
            throw .invalidParameter("reason")
        }
        change(reply) { [store] () throws(StoreError) in
            if let reason = input.reason {
                try await store.lock(reason, by: peer.uid)
            } else {
                try await store.unlock(by: peer.uid)
            }
        }
    }

    private func change(
        _ reply: ReplyHandle, of id: TodoAPI.CommandID? = nil,
        _ submit: @escaping @Sendable () async throws(StoreError) -> DispatchResult<App.Command>
    ) {
        answer(reply) { [store, files] stream in
            do throws(StoreError) {
                let answer = try await submit()
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
    fileprivate nonisolated func hasAsked(for id: TodoAPI.CommandID) async throws -> Bool {
        guard (1...max(1, present.sequence)).contains(id.sequence) else { return false }
        let commands = try await records(from: id.sequence, through: id.sequence).first?.header.commands ?? []
        return commands.indices.contains(id.index) && !commands[id.index].presentational
    }
}

extension TodoAPI.CommandID {
    fileprivate var logged: ChronicleLog.CommandID {
        get throws(APIError) {
            guard let index = UInt32(exactly: index) else { throw .invalidParameter("id.index") }
            return ChronicleLog.CommandID(sequence: sequence, index: index)
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
