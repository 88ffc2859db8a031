import Chronicle
import ChronicleLog
import ChronicleStore

extension Schedule {
    mutating func take(_ news: OutboxChange<Command>, _ instructions: inout [Instruction]) {
        switch news {
        case .held(let sequence):
            let before = heldThrough
            heldThrough = sequence
            for id in entries.keys where id.sequence <= before { place(id) }
        case .closed(let id): close(id, &instructions)
        case .open(let command):
            let before = entries[command.id]
            entries[command.id] = Entry(open: command, deadline: deadline(of: command, before))
            if command.row.stage == .parked, before?.open.row.stage != .parked, !isFirstNews {
                note(command.id, command.row.call.name, .parked, command.row.reason)
            }
            enterGroup(of: command.row, before)
            if before == nil, isFirstNews, command.row.stage == .started {
                takeOver(command, &instructions)
            } else if command.row.stage == .started {
                begun(command, &instructions)
            } else {
                place(command.id)
            }
        }
    }

    // The group may depend on the arguments, which can be edited.
    private mutating func enterGroup(of row: OutboxRow, _ before: Entry?) {
        let (old, new) = (before.map { ExactText($0.open.row.group) }, ExactText(row.group))
        guard old != new else { return }
        if !new.text.isEmpty { groups[new, default: Heap()].push(row.id) }
        if let old, !old.text.isEmpty { leave(old) }
    }

    private mutating func leave(_ group: ExactText) {
        if let next = first(of: group.text) { place(next) } else { groups[group] = nil }
    }

    mutating func close(_ id: CommandID, _ instructions: inout [Instruction]) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if var attempt = attempts[id] {
            switch attempt.phase {
            case .beginning: attempt.phase = .finished
            case .running: instructions.append(.cancel(id))
            // Its own end comes back as `written` or `refused`.
            case .ending, .kept, .finished: break
            }
            attempts[id] = attempt
            dropIfFinished(id)
        }
        let group = ExactText(entry.open.row.group)
        if !group.text.isEmpty { leave(group) }
    }

    // While the runner runs, a delay counts from now on the boot clock. After a restart only the wall clock is available, and the remaining
    // delay is capped at the command's delay. For scheduled commands the target is asked from the start: the due time was computed from a
    // record's time, which a wrong clock may have set.
    func deadline(of command: OpenCommand<Command>, _ before: Entry?) -> Int64 {
        let row = command.row
        guard row.due != 0 else { return 0 }
        if let before, before.open.row.due == row.due { return before.deadline }
        if Entry(open: command, deadline: 0).waitsForItsTime { return 0 }
        let policy = command.command?.policy
        let delay = (row.attempts == 0 && row.waits == 0 ? policy?.waitMax ?? .zero : RunnerOptions.retryAfterMax).microseconds
        // The due time alone tells how long a throttled command waits.
        if before == nil, !isFirstNews, policy?.interval == nil { return now.adding(clamping: delay) }
        if let before, before.deadline > now { return before.deadline }
        return now.adding(clamping: min(max(0, row.due.subtracting(clamping: options.clock.wall())), delay))
    }

    // An attempt of an earlier process may have reached its target.
    mutating func takeOver(_ command: OpenCommand<Command>, _ instructions: inout [Instruction]) {
        guard let policy = command.command?.policy else { return }
        let order: Order
        if !policy.isIdempotent {
            order = .park(
                command.id,
                reason: "uncertain: the daemon ended during attempt \(command.row.attempts), and it may have been done; "
                    + "look, then retry or skip it")
        } else if command.row.attempts >= policy.attemptsMax {
            order = .end(command.id, .failed("The daemon ended during attempt \(command.row.attempts), the last one."))
        } else {
            return place(command.id)
        }
        attempts[command.id] = Attempt(phase: .ending(order), name: command.row.call.name)
        instructions.append(.order(order, command.id))
    }

    mutating func begun(_ command: OpenCommand<Command>, _ instructions: inout [Instruction]) {
        guard var attempt = attempts[command.id], case .beginning = attempt.phase else { return }
        if isStopping {
            let order = Order.interrupt(command.id)
            attempt.phase = .ending(order)
            instructions.append(.order(order, command.id))
        } else {
            attempt.phase = .running
            attempt.isTargetBusy = true
            instructions.append(.run(command, attempt: command.row.attempts))
        }
        attempts[command.id] = attempt
    }
}
