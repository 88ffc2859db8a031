import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp

/// A reference implementation of what-if queries that replays the whole log and keeps everything in memory.
struct NaiveHistory {
    var state = App.State()
    var notRun: Set<CommandID> = []
    var wouldRun: [String] = []
    var vanished: Set<UInt64> = []

    private var logOpen: [CommandID: App.Command] = [:]
    private var open: [(id: CommandID?, command: App.Command)] = []
    private var active: Set<CommandID> = []

    init(_ records: [LoggedRecord<App>], without skipped: Set<UInt64>, keepsResults: Bool) {
        for record in records { replay(record, isSkipped: skipped.contains(record.header.sequence), keepsResults) }
    }

    private mutating func replay(_ record: LoggedRecord<App>, isSkipped: Bool, _ keepsResults: Bool) {
        let header = record.header
        var isFolded = !isSkipped
        if isFolded, let cause = header.cause, !keepsResults, !active.contains(cause) {
            isFolded = false
            vanished.insert(header.sequence)
        }
        if header.kind == .end, let cause = header.cause {
            logOpen[cause] = nil
            if isFolded { open.removeAll { $0.id == cause } }
        }
        let context = Context(time: header.time, origin: header.origin)
        var requested: [App.Command] = []
        if isFolded, let action = record.action { requested = App.reduce(&state, action, context) }
        compare(header, requested.enumerated().filter { !$1.isPresentational }.map { ($0, $1) }, context)
    }

    private mutating func compare(_ header: RecordHeader, _ requested: [(Int, App.Command)], _ context: Context) {
        var rest = requested
        var kept: [(CommandID, App.Command)] = []
        for (index, call) in header.commands.enumerated() where !call.presentational {
            guard let command = try? App.Command(canonical: call.arguments) else { continue }
            let id = CommandID(sequence: header.sequence, index: UInt32(index))
            if let match = rest.firstIndex(where: { $0.1 == command }) {
                rest.remove(at: match)
                kept.append((id, command))
            } else {
                if !command.policy.isCancellation { notRun.insert(id) }
                displaceInLog(command.policy.cancelID)
                if !command.policy.isCancellation { logOpen[id] = command }
            }
        }
        for (id, command) in kept {
            active.insert(id)
            if let name = command.policy.cancelID {
                let inBoth = open.filter { $0.id.map { logOpen[$0] != nil } ?? false && $0.command.policy.cancelID == name }
                open.removeAll { entry in inBoth.contains { $0.id == entry.id } }
                for (id, open) in logOpen where open.policy.cancelID == name { logOpen[id] = nil }
                displace(name, isCancelled: command.policy.isCancellation, context)
            }
            guard !command.policy.isCancellation else { continue }
            logOpen[id] = command
            open.append((id, command))
        }
        for (index, command) in rest {
            if !command.policy.isCancellation { wouldRun.append("\(header.sequence).\(index)") }
            if let name = command.policy.cancelID { displace(name, isCancelled: command.policy.isCancellation, context) }
            if !command.policy.isCancellation { open.append((nil, command)) }
        }
    }

    private mutating func displaceInLog(_ name: String?) {
        guard let name else { return }
        for (id, command) in logOpen where command.policy.cancelID == name {
            logOpen[id] = nil
            guard open.contains(where: { $0.id == id }) else { continue }
            active.remove(id)
            wouldRun.append("\(id.sequence).\(id.index)")
        }
    }

    private mutating func displace(_ name: String, isCancelled: Bool, _ context: Context) {
        let displaced = open.filter { $0.command.policy.cancelID == name }
        open.removeAll { $0.command.policy.cancelID == name }
        for (id, command) in displaced {
            if let id, active.remove(id) != nil { notRun.insert(id) }
            guard let fact = App.ended(command, isCancelled ? .cancelled : .superseded) else { continue }
            for action in (try? App.prepare(fact, state, context)) ?? [] { _ = App.reduce(&state, action, context) }
        }
    }
}
