import Chronicle
import ChronicleLog
import ChronicleStore
import TodoAPI

extension RecordMessage {
    init<App: DaemonApp>(_ record: LoggedRecord<App>) {
        let header = record.header
        self.init(
            sequence: header.sequence, time: header.time, rawTime: header.rawTime, kind: header.kind.name,
            origin: header.origin, step: header.step,
            cause: header.cause.map { TodoAPI.CommandID(sequence: $0.sequence, index: Int($0.index)) },
            outcome: header.outcome?.name, reason: record.lock?.reason ?? (header.reason.isEmpty ? nil : header.reason),
            due: header.due == 0 ? nil : header.due, undoes: header.undoes, restores: header.restores,
            merges: header.merges?.through, key: header.key,
            build: header.build, node: header.node.isEmpty ? nil : header.node,
            action: record.action?.value, bookmark: record.bookmark?.name,
            at: record.bookmark.flatMap { $0.isWithdrawn ? nil : $0.sequence },
            before: record.edit.map { $0.before.arguments(in: App.self) },
            after: record.edit.map { $0.after.arguments(in: App.self) },
            piece: record.piece.map { UInt64($0.index) }, done: record.piece?.done,
            total: record.piece.flatMap { $0.total == 0 ? nil : $0.total },
            invariant: record.invariant?.name,
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
}

extension CommandMessage {
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
