import Chronicle
import ChronicleLog

extension StagedLog {
    /// Folds records of other machines, which the log already contains; nothing is staged.
    ///
    /// Throws `.damaged` and `.undecodable`: the log then has records that the state lacks.
    mutating func follow(_ flush: Flush) throws(StoreError) {
        let before = staged
        let head = log.head
        var state = staged.state
        try StoreError.reading { () throws(ActionLogError) in
            guard before.sequence < head.sequence else { return }
            try App.Action.read(log, from: before.sequence + 1, through: head.sequence) { record, action in
                if let action { _ = App.reduce(&state, action, Context(time: record.time, origin: record.origin)) }
                return true
            }
        }
        let commands = try StoreError.reading { () throws(ActionLogError) in try flush.commandChanges() }
        (staged.state, staged.sequence, staged.time, staged.epoch) = (state, head.sequence, head.time, head.epoch)
        staged.lock = head.lock
        if staged.invariants != head.invariants {
            staged.invariants = head.invariants
            invariants = InvariantChecker(head.invariants, in: staged.state)
        } else {
            invariants.follow(to: staged.state)
        }
        for (id, row) in commands {
            if let row { outbox.put(OpenCommand(row: row, command: Self.command(of: row))) } else { outbox.close(id) }
        }
        outbox.follow(head)
        steps.forget()
        if flush.changesBookmarks { bookmarkOwners = nil }
        try noteChanges(from: before.state)
    }
}

extension StagedLog {
    /// Folds the whole log again after a redaction by another machine; nothing is staged.
    mutating func foldAnew(initial: App.State) throws(StoreError) {
        let recovered = try RecoveryResult<App>(from: log, initial: initial)
        (staged.state, staged.stateBytes) = (recovered.present.state, recovered.present.stateBytes)
        staged.redactions = log.redactions.count
        // A redaction is not checked against invariants.
        invariants = recovered.invariants
        staged.note(ScopeSet(rawValue: .max), at: staged.sequence)
    }
}
