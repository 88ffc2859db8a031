import Chronicle
import ChronicleLog
import ChronicleStore

extension Schedule {
    func canStart(_ entry: Entry) -> Bool {
        let row = entry.open.row
        guard row.stage != .parked, entry.command != nil, attempts[row.id] == nil, row.id.sequence > heldThrough else {
            return false
        }
        return row.group.isEmpty || groups[ExactText(row.group)]?.first == row.id
    }

    /// Queues a command for its due time or its turn.
    mutating func place(_ id: CommandID) {
        guard let entry = entries[id] else { return }
        // Updates the group's order, so that no ended command is at its head.
        if !entry.open.row.group.isEmpty { _ = first(of: entry.open.row.group) }
        guard canStart(entry) else { return }
        if entry.deadline > now {
            timers.push(Timer(at: entry.deadline, id: id))
        } else {
            ready[entry.open.row.call.name, default: Heap()].push(id)
        }
    }

    /// Removes and returns the first command that is due and may start; a name at its limit of concurrent attempts is skipped.
    mutating func takeNext(at now: Int64) -> Entry? {
        var next: Entry?
        // A copy of the keys, because holding `ready.keys` would copy a heap on removal.
        for name in Array(ready.keys) {
            guard let entry = firstReady(of: name, at: now), hasRoom(for: entry) else { continue }
            if next.map({ entry.open.id < $0.open.id }) ?? true { next = entry }
        }
        if let next { _ = ready[next.open.row.call.name]?.pop() }
        return next
    }

    private mutating func firstReady(of name: String, at now: Int64) -> Entry? {
        while let id = ready[name]?.first {
            // The command may have ended, started or been held since.
            if let entry = entries[id], canStart(entry), entry.deadline <= now, !setAside(entry) { return entry }
            _ = ready[name]?.pop()
        }
        return nil
    }

    private func hasRoom(for entry: Entry) -> Bool {
        guard let max = entry.command?.policy.runningMax else { return true }
        let name = entry.open.row.call.name
        return attempts.values.count { $0.name == name } < max
    }

    /// Postpones a command whose target says, or can't tell, that its time has not come; nothing is written or counted.
    mutating func setAside(_ entry: Entry) -> Bool {
        guard let command = entry.command else { return false }
        let rest = wait(command)
        guard rest > .zero else { return false }
        let deadline = now.adding(clamping: max(1, rest.microseconds))
        entries[entry.open.row.id]?.deadline = deadline
        place(entry.open.row.id)
        return true
    }

    /// Asks the targets of all scheduled commands again after the wall clock was set.
    mutating func lookAtClock() {
        let ahead = options.clock.wall().subtracting(clamping: now)
        defer { wallAhead = ahead }
        let stepped = ahead.subtracting(clamping: wallAhead ?? ahead)
        guard !(-Self.stepMax...Self.stepMax).contains(stepped) else { return }
        for (id, entry) in entries where entry.waitsForItsTime {
            entries[id]?.deadline = 0
            place(id)
        }
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
