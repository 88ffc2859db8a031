import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel

extension Diary {
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .note(let text), .brought(let text): state.notes.append(text)
        case .type(let text): state.draft = text
        case .ask(let text): return text == "stop" ? [.cancel(text)] : [.open(text), .fetch(text)]
        }
        return []
    }
}

extension Diary.Command {
    var isPresentational: Bool { if case .open = self { true } else { false } }

    var policy: CommandPolicy {
        if case .cancel = self { CommandPolicy(cancelID: "fetch", isCancellation: true) } else { CommandPolicy() }
    }

    var call: CommandCall {
        CommandCall(name: name, version: version, arguments: canonicalBytes, presentational: isPresentational)
    }
}

/// A log of diaries that a test writes record by record.
struct DiaryLog: Sendable {
    let log: any ActionLog

    init(_ log: any ActionLog = InMemoryActionLog()) { self.log = log }

    /// The fields of a record.
    struct Line {
        var kind = RecordKind.action
        var action: Diary.Action?
        var origin: UInt32 = 1000
        var cause: CommandID?
        var step: UInt64?
        var key: String?
    }

    /// Appends records in one flush, with their rows.
    func append(_ lines: [Line]) throws {
        var flush = Flush(after: log.head)
        for line in lines {
            let sequence = flush.sequence + 1
            var header = RecordHeader(
                kind: line.kind, sequence: sequence, time: flush.time + 1_000, origin: line.origin, step: line.step ?? sequence,
                cause: line.cause, key: line.key)
            var state = Diary.State()
            let commands = line.action.map { Diary.reduce(&state, $0, .test) } ?? []
            header.commands = commands.map(\.call)
            flush.stage(header) { writer in line.action?.encode(into: &writer) }
            for (index, command) in commands.enumerated()
            where !command.isPresentational && !command.policy.isCancellation {
                flush.add(OutboxRow(id: CommandID(sequence: sequence, index: UInt32(index)), call: command.call))
            }
            if line.kind == .end, let cause = line.cause { flush.close(cause) }
        }
        try log.append(flush)
    }

    var history: History<Diary> {
        History(log, snapshots: nil, fingerprint: "code", base: PastState(state: Diary.State()))
    }
}
