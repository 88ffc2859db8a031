import Chronicle
import ChronicleLog

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
        guard let name = names[id] else { return }
        var edited: Entry?
        update(name) { entry in
            guard entry.id == id else { return }
            edited = entry
            entry.sides = []
        }
        edited?.command = command
        if let edited { add(edited) }
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
