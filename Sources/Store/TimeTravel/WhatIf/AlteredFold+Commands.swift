import Chronicle
import ChronicleLog
import ChronicleStore

extension AlteredFold {
    func needsOpen(for diff: CommandDiff<App>) -> Bool {
        !knowsOpen && (diff.displacesApart || !leftOpen.isEmpty && diff.displaces)
    }

    /// Adds the commands that were open at the beginning and still are, oldest first.
    mutating func learn(_ open: [OpenNames<App.Command>.Entry]) {
        knowsOpen = true
        leftOpen = []
        for var entry in open.reversed() {
            guard let name = entry.command.policy.cancelID else { continue }
            // A later command has displaced earlier ones, even if their ends were recorded after the beginning.
            entry.sides.subtract(names.sides(of: name))
            if !entry.sides.isEmpty { names.add(entry) }
        }
    }

    /// Edits the arguments of a command; if the edit is skipped, the command would have run as requested.
    mutating func take(_ edit: CommandEdit, of id: CommandID, by record: HeaderFields) {
        guard isSkipped(record) else {
            if let command = CommandDiff<App>.command(of: edit.after) { names.edit(id, to: command) }
            return
        }
        guard gone.insert(id).inserted else { return }
        answer.note(.init(id: id, call: edit.after, reason: .notAsked))
        guard let command = CommandDiff<App>.command(of: edit.before) else { return }
        answer.note(.init(place: Place(id.sequence), index: Int(id.index), command: command, reason: .asked))
    }

    /// Tracks the commands of a record, and folds the ends that exist only in the altered history.
    /// - Returns: the commands that those ends request.
    mutating func followUps(of diff: CommandDiff<App>) throws(StoreError) -> [CommandDiff<App>] {
        var followUps: [CommandDiff<App>] = []
        for (index, call) in diff.lost {
            followUps += lose(CommandID(sequence: diff.place.sequence, index: index), call, diff)
        }
        for (index, command) in diff.kept {
            followUps += open(command, CommandID(sequence: diff.place.sequence, index: index), on: .both, diff)
        }
        for (index, command) in diff.new { followUps += ask(index, command, diff) }
        guard gone.count <= HistoryLimits.goneMax else { throw .answerTooLarge }
        return followUps
    }

    private mutating func lose(_ id: CommandID, _ call: CommandCall, _ diff: CommandDiff<App>) -> [CommandDiff<App>] {
        gone.insert(id)
        let command = CommandDiff<App>.command(of: call)
        if command?.policy.isCancellation != true { answer.note(.init(id: id, call: call, reason: .notAsked)) }
        return command.map { open($0, id, on: .log, diff) } ?? []
    }

    private mutating func ask(_ index: Int, _ command: App.Command, _ diff: CommandDiff<App>) -> [CommandDiff<App>] {
        if !command.policy.isCancellation {
            answer.note(.init(place: diff.place, index: index, command: command, reason: .asked))
        }
        return open(command, nil, on: .altered, diff)
    }

    private mutating func open(
        _ command: App.Command, _ id: CommandID?, on sides: OpenNames<App.Command>.Sides, _ diff: CommandDiff<App>
    ) -> [CommandDiff<App>] {
        let policy = command.policy
        guard let (name, end) = policy.displacement, diff.depth <= Limits.commandDepthMax else { return [] }
        var followUps: [CommandDiff<App>] = []
        for displaced in names.displace(name, on: sides) {
            switch displaced.sides {
            // Displaced in both histories: the log contains its end.
            case .both: break
            case .log: if displaced.entry.sides.contains(.altered) { spare(displaced.entry) }
            default: followUps += tell(end, of: displaced.entry, diff)
            }
        }
        if !policy.isCancellation { names.add(.init(id: id, command: command, origin: diff.origin, sides: sides)) }
        return followUps
    }

    /// A command was displaced only in the log: it would have continued.
    private mutating func spare(_ entry: OpenNames<App.Command>.Entry) {
        guard let id = entry.id else { return }
        gone.insert(id)
        answer.note(
            .init(place: Place(id.sequence), index: Int(id.index), command: entry.command, reason: .notDisplaced))
    }

    /// A command is displaced only in the altered history: folds its end, as the store would.
    private mutating func tell(
        _ end: CommandEnd, of entry: OpenNames<App.Command>.Entry, _ diff: CommandDiff<App>
    ) -> [CommandDiff<App>] {
        if let id = entry.id, gone.insert(id).inserted {
            answer.note(.init(id: id, call: CommandCall(entry.command), reason: .displaced))
        }
        let context = Context(time: diff.time, origin: entry.origin)
        let facts = App.facts(of: entry.command, end, in: answer.state, context)
        return append(facts, context, kind: .ended, depth: diff.depth + 1)
    }
}
