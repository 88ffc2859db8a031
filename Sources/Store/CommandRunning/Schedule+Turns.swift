import Records
import Reducing
import StoreRuntime

extension Schedule {
    func canStart(_ entry: Entry) -> Bool {
        let row = entry.open.row
        guard row.stage != .parked, entry.command != nil, attempts[row.id] == nil, row.id.sequence > heldThrough else {
            return false
        }
        return row.group.isEmpty || groups[ExactText(row.group)]?.first == row.id
    }

    /// Puts a command where it waits for its time or its turn.
    mutating func place(_ id: CommandID) {
        guard let entry = entries[id] else { return }
        // The group's order is asked for here, so that what has ended does not stand at its head.
        if !entry.open.row.group.isEmpty { _ = first(of: entry.open.row.group) }
        guard canStart(entry) else { return }
        if entry.deadline > now { timers.push(Timer(at: entry.deadline, id: id)) } else { ready.push(id) }
    }

    /// Sets a command aside whose time has not come, as its target knows; nothing is written, and nothing counts.
    mutating func setAside(_ entry: Entry) -> Bool {
        guard let rest = entry.command.map(wait), rest > .zero else { return false }
        entries[entry.open.row.id]?.deadline = now.adding(clamping: max(1, rest.microseconds))
        place(entry.open.row.id)
        return true
    }

    mutating func first(of name: String) -> CommandID? {
        let group = ExactText(name)
        while let id = groups[group]?.first {
            if let entry = entries[id], ExactText(entry.open.row.group) == group { return id }
            _ = groups[group]?.pop()
        }
        return nil
    }
}
