import Chronicle
import ChronicleLog

extension Store {
    /// Replaces logged actions, in the log and in stored history, and waits until all of that is on disk.
    ///
    /// Requests and cancels no commands. Throws `.commandRunning` if a command that one of the records requested, and that may hold a text,
    /// is open, and `.outdated` after a concurrent redaction or invariant change.
    public nonisolated func redact(_ redaction: Redaction<App>) async throws(StoreError) {
        let conditions = present.invariants
        let (redaction, checker) = try await queries.admit(.long) { (queries) async throws(StoreError) in
            var redaction = redaction
            var checker = try await InvariantChecker<App>(conditions, in: redaction.state, queries)
            // Catching up here leaves few records for the store to fold on its thread.
            while self.log.head.sequence - redaction.through > Limits.meanwhileRecordsMax / 2 {
                let next = redaction.through + Limits.meanwhileRecordsMax / 2
                try redaction.goOn(in: self.log, through: next)
                checker.follow(to: redaction.state)
                try await queries.yieldIfNeeded()
            }
            return (redaction, checker)
        }
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.accept(redaction, checker, of: conditions)
        }
    }

    private func accept(
        _ redaction: Redaction<App>, _ checker: InvariantChecker<App>, of conditions: [Invariant]
    ) throws(StoreError) -> DispatchResult<App.Command> {
        if let obstacle = stagedLog.obstacle { throw obstacle }
        return try behindOthers { () throws(StoreError) in try takeOut(redaction, checker, of: conditions) }
    }

    // Nothing is staged now. Returns `nil` if other machines appended to a shared log first.
    private func takeOut(
        _ redaction: Redaction<App>, _ checker: InvariantChecker<App>, of conditions: [Invariant]
    ) throws(StoreError) -> DispatchResult<App.Command>? {
        guard options.access == .readWrite else { throw .readOnly }
        let (first, last) = (redaction.first, stagedLog.staged.sequence)
        guard log.redactions.count == redaction.redactions, stagedLog.staged.invariants == conditions,
            last - redaction.through <= Limits.meanwhileRecordsMax
        else { throw .outdated }
        if let open = stagedLog.outbox.firstWithText(of: Set(redaction.actions.map(\.sequence))) { throw .commandRunning(open) }
        do throws(StoreError) {
            var redaction = redaction
            try redaction.goOn(in: log, through: last)
            let state = redaction.state
            snapshots?.removeAll(from: first)
            stagedLog.pending.isSettled = true
            do throws(ActionLogError) {
                try log.redact(redaction.actions.map { (sequence: $0.sequence, payload: $0.action.canonicalBytes) })
            } catch {
                guard error == .othersFirst else { throw StoreError(error) }
                return nil
            }
            // Again, because a snapshot may have been written in between.
            snapshots?.removeAll(from: first)
            stagedLog.staged.state = state
            stagedLog.staged.stateBytes = App.growth(from: nil, to: state)
            stagedLog.staged.redactions = log.redactions.count
            var checker = checker
            // A redaction is not checked against invariants, and the next dispatch must not be blamed for it.
            checker.follow(to: state)
            stagedLog.invariants = checker
            // Comparing two separately folded states takes time proportional to their size, so all scopes count as changed.
            stagedLog.staged.note(ScopeSet(rawValue: .max), at: last)
            publisher.publish(stagedLog.staged)
            return stagedLog.nothing
        } catch {
            if case .outcomeUnknown(let what) = error { options.onUnknownOutcome(what) }
            throw error
        }
    }
}

extension Redaction {
    fileprivate mutating func goOn(in log: any ActionLog, through last: UInt64) throws(StoreError)
    where App.Action: CanonicalCodable {
        var state = state
        try StoreError.reading { () throws(ActionLogError) in
            try App.Action.read(log, from: through + 1, through: last) { record, action in
                if let action { _ = App.reduce(&state, action, Context(time: record.time, origin: record.origin)) }
                return true
            }
        }
        (self.state, through) = (state, last)
    }
}
