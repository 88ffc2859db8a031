import Chronicle
import ChronicleLog

extension StagedLog {
    /// Folds records of other machines, which the log already contains; nothing is staged.
    ///
    /// Throws `.damaged` and `.undecodable`: the log then has records that the state lacks.
    mutating func follow(_ flush: Flush) throws(StoreError) {
        let before = staged
        let head = log.head
        var next = Followed<App>(state: staged.state, lastUndo: lastUndo, extensions: extensions)
        try StoreError.reading { () throws(ActionLogError) in
            guard before.sequence < head.sequence else { return }
            try App.Action.read(log, from: before.sequence + 1, through: head.sequence) { record, action in
                next.take(record, action, behind: before.sequence)
                return true
            }
        }
        let commands = try StoreError.reading { () throws(ActionLogError) in try flush.commandChanges() }
        (staged.state, staged.sequence, staged.time, staged.epoch) = (next.state, head.sequence, head.time, head.epoch)
        (staged.lock, lastUndo, extensions) = (head.lock, next.lastUndo, next.extensions)
        if !next.overwritten.isEmpty { staged.overwritten = (staged.overwritten.scopes.union(next.overwritten), head.sequence) }
        if staged.invariants != head.invariants {
            staged.invariants = head.invariants
            judges = Judges(head.invariants, in: staged.state)
        } else {
            judges.follow(to: staged.state)
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
        let recovered = try Recovered<App>(from: log, initial: initial)
        (staged.state, staged.stateBytes) = (recovered.present.state, recovered.present.stateBytes)
        staged.redactions = log.redactions.count
        // A redaction is not checked against invariants.
        judges = recovered.judges
        staged.note(ScopeSet(rawValue: .max), at: staged.sequence)
    }
}

/// The changes by records of other machines, one after the other.
private struct Followed<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    var state: App.State
    var lastUndo: UInt64
    var extensions: StepExtensions
    var overwritten: ScopeSet = []

    mutating func take(_ record: HeaderFields, _ action: App.Action?, behind known: UInt64) {
        if let action {
            _ = App.reduce(&state, action, Context(time: record.time, origin: record.origin))
            overwritten.formUnion(App.overwrittenScopes(by: action, restores: record.restores != nil))
        }
        if record.undoes != nil || record.restores != nil || record.isMerge { lastUndo = record.sequence }
        // Steps that began here have not been read by any waiting undo.
        if record.step > 0, record.step <= known { extensions.note(record.step, at: record.sequence) }
    }
}
