import Chronicle
import ChronicleLog

/// The open commands that a later one can displace, in the log and in the altered history.
struct OpenNames<Command: NamedCommand> {
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

    /// Adds a command that is open on these sides; a known one becomes open there, too.
    mutating func add(_ entry: Entry) {
        guard let name = entry.command.policy.cancelID.map(ExactText.init) else { return }
        if let id = entry.id {
            if let index = entries[name]?.firstIndex(where: { $0.id == id }) {
                entries[name]?[index].sides.formUnion(entry.sides)
                return
            }
            names[id] = name
        }
        entries[name, default: []].append(entry)
    }

    /// Edits the arguments of an open command, and with them perhaps its name.
    mutating func edit(_ id: CommandID, to command: Command) {
        guard let name = names[id], let index = entries[name]?.firstIndex(where: { $0.id == id }),
            var entry = entries[name]?.remove(at: index)
        else { return }
        if entries[name]?.isEmpty == true { entries[name] = nil }
        names[id] = nil
        entry.command = command
        add(entry)
    }

    func sides(of name: String) -> Sides { (entries[ExactText(name)] ?? []).reduce(into: []) { $0.formUnion($1.sides) } }

    mutating func displace(_ name: String, on sides: Sides) -> [(entry: Entry, sides: Sides)] {
        var displaced: [(entry: Entry, sides: Sides)] = []
        var rest: [Entry] = []
        for var entry in entries.removeValue(forKey: ExactText(name)) ?? [] {
            let closed = entry.sides.intersection(sides)
            if !closed.isEmpty { displaced.append((entry, closed)) }
            entry.sides.subtract(sides)
            if entry.sides.isEmpty { forget(entry) } else { rest.append(entry) }
        }
        if !rest.isEmpty { entries[ExactText(name)] = rest }
        return displaced
    }

    mutating func close(_ id: CommandID, on sides: Sides) {
        guard let name = names[id], let index = entries[name]?.firstIndex(where: { $0.id == id }) else { return }
        entries[name]?[index].sides.subtract(sides)
        guard let entry = entries[name]?[index], entry.sides.isEmpty else { return }
        entries[name]?.remove(at: index)
        if entries[name]?.isEmpty == true { entries[name] = nil }
        forget(entry)
    }

    private mutating func forget(_ entry: Entry) { if let id = entry.id { names[id] = nil } }
}
