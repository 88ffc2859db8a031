import Chronicle
import ChronicleLog
import ChronicleStore

extension ReplayWithEdits {
    typealias Entry = OpenCommands<App.Command>.Entry

    /// Whether this diff requires the commands that were open at the beginning.
    func needsOpen(for diff: RequestDiff<App>) -> Bool {
        !knowsOpen && (diff.displacesApart || !leftOpen.isEmpty && diff.displaces)
    }

    /// Adds the commands that were open at the beginning and still are, oldest first.
    mutating func learn(_ earlier: [Entry]) {
        knowsOpen = true
        leftOpen = []
        for var entry in earlier.reversed() {
            guard let name = entry.command.policy.cancelID else { continue }
            // A later command has displaced earlier ones, even if their ends were recorded after the beginning.
            entry.sides.subtract(openCommands.sides(of: name))
            if !entry.sides.isEmpty { openCommands.add(entry) }
        }
    }

    /// Edits the arguments of a command; if the edit is skipped, the command would have run as requested.
    mutating func take(_ edit: CommandEdit, of id: CommandID, by record: HeaderFields) {
        guard isSkipped(record) else {
            if let command = RequestDiff<App>.command(of: edit.after) { openCommands.edit(id, to: command) }
            return
        }
        guard gone.insert(id).inserted else { return }
        note(id, edit.after, .notAsked)
        if RequestDiff<App>.command(of: edit.before) != nil { note(id, edit.before, .asked) }
    }

    private mutating func note(_ id: CommandID, _ call: CommandCall, _ reason: WhatIfResult<App>.CommandDifference.Reason) {
        note(Place(sequence: id.sequence), Int(id.index), call, reason)
    }

    private mutating func note(
        _ place: Place, _ index: Int, _ call: CommandCall, _ reason: WhatIfResult<App>.CommandDifference.Reason
    ) {
        let isOfLog = reason == .notAsked || reason == .displaced
        result.note(
            .init(place: place, index: index, call: call, reason: reason), in: isOfLog ? \.notRun : \.wouldRun)
    }

    /// Tracks the commands of a record, and folds the ends that exist only in the altered history.
    /// - Returns: the commands that those ends request.
    mutating func followUps(of diff: RequestDiff<App>) throws(StoreError) -> [RequestDiff<App>] {
        var followUps: [RequestDiff<App>] = []
        for (index, call) in diff.lost {
            let id = CommandID(sequence: diff.place.sequence, index: UInt32(index))
            gone.insert(id)
            let command = RequestDiff<App>.command(of: call)
            if command?.policy.isCancellation != true { note(id, call, .notAsked) }
            if let command { followUps += open(command, id, on: .log, diff) }
        }
        for (index, command) in diff.kept {
            followUps += open(command, CommandID(sequence: diff.place.sequence, index: UInt32(index)), on: .both, diff)
        }
        for (index, command) in diff.new {
            if !command.policy.isCancellation { note(diff.place, index, CommandCall(command), .asked) }
            followUps += open(command, nil, on: .altered, diff)
        }
        guard gone.count <= HistoryLimits.goneMax else { throw .answerTooLarge }
        return followUps
    }

    /// Opens a command on these sides, after the commands that it displaces were closed there.
    private mutating func open(
        _ command: App.Command, _ id: CommandID?, on sides: OpenCommands<App.Command>.Sides, _ diff: RequestDiff<App>
    ) -> [RequestDiff<App>] {
        let policy = command.policy
        guard let (name, end) = policy.displacement, diff.depth <= Limits.commandDepthMax else { return [] }
        var followUps: [RequestDiff<App>] = []
        for (entry, closed) in openCommands.displace(name, on: sides) {
            switch closed {
            // Displaced in both histories: the log contains its end.
            case .both: break
            case .log:
                // It would have continued.
                guard entry.sides.contains(.altered), let id = entry.id else { continue }
                gone.insert(id)
                note(id, CommandCall(entry.command), .notDisplaced)
            default:
                // Its end is folded as the store would.
                if let id = entry.id, gone.insert(id).inserted { note(id, CommandCall(entry.command), .displaced) }
                let context = Context(time: diff.time, origin: entry.origin)
                let facts = App.facts(of: entry.command, end, in: result.state, context)
                followUps += append(facts, context, kind: .ended, depth: diff.depth + 1)
            }
        }
        if !policy.isCancellation { openCommands.add(Entry(id: id, command: command, origin: diff.origin, sides: sides)) }
        return followUps
    }
}

/// The open commands that a later one can displace, in the log and in the altered history.
struct OpenCommands<Command: NamedCommand> {
    /// The histories in which a command is open.
    struct Sides: OptionSet {
        let rawValue: UInt8
        static var log: Sides { Sides(rawValue: 1) }
        static var altered: Sides { Sides(rawValue: 2) }
        static var both: Sides { [.log, .altered] }
    }

    struct Entry {
        /// Its id in the log; `nil`: it is not in the log.
        var id: CommandID?
        var command: Command
        var origin: UInt32
        var sides: Sides
    }

    private var entries: [ExactText: [Entry]] = [:]
    private var names: [CommandID: ExactText] = [:]

    mutating func add(_ entry: Entry) {
        guard let name = entry.command.policy.cancelID.map(ExactText.init) else { return }
        if let id = entry.id { names[id] = name }
        entries[name, default: []].append(entry)
    }

    /// Edits the arguments of an open command, and with them perhaps its name.
    mutating func edit(_ id: CommandID, to command: Command) {
        guard let name = names.removeValue(forKey: id), let index = entries[name]?.firstIndex(where: { $0.id == id }),
            var entry = entries[name]?.remove(at: index)
        else { return }
        entry.command = command
        add(entry)
    }

    func sides(of name: String) -> Sides { (entries[ExactText(name)] ?? []).reduce(into: []) { $0.formUnion($1.sides) } }

    mutating func displace(_ name: String, on sides: Sides) -> [(entry: Entry, sides: Sides)] {
        var displaced: [(entry: Entry, sides: Sides)] = []
        update(ExactText(name)) { entry in
            let closed = entry.sides.intersection(sides)
            if !closed.isEmpty { displaced.append((entry, closed)) }
            entry.sides.subtract(sides)
        }
        return displaced
    }

    mutating func close(_ id: CommandID, on sides: Sides) {
        guard let name = names[id] else { return }
        update(name) { if $0.id == id { $0.sides.subtract(sides) } }
    }

    /// Updates the commands of a name, and forgets those that are open nowhere.
    private mutating func update(_ name: ExactText, _ body: (inout Entry) -> Void) {
        guard var rest = entries.removeValue(forKey: name) else { return }
        for index in rest.indices { body(&rest[index]) }
        for entry in rest where entry.sides.isEmpty { if let id = entry.id { names[id] = nil } }
        rest.removeAll { $0.sides.isEmpty }
        if !rest.isEmpty { entries[name] = rest }
    }
}
