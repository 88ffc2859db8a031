public import Chronicle
public import ChronicleLog
public import Expressions

extension Store {
    /// Sets, moves or removes a bookmark, and waits until that is on disk.
    /// - Parameters:
    ///   - bookmark: a valid name, and a sequence that is in the log.
    ///   - isOfOwner: whether the limit of one uid applies; `false` for an administrator.
    /// - Throws: `.tooManyBookmarks`, `.unknownBookmark`; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func set(
        _ bookmark: Bookmark, by uid: UInt32, isOfOwner: Bool = false
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid, exclusive: true) { store throws(StoreError) in
            try store.stagedLog.stageBookmark(bookmark, by: uid, isOfOwner: isOfOwner)
        }
    }

    /// Locks the log and waits until that is on disk: dispatches, undos and imports are refused with `.locked` until `unlock`.
    ///
    /// The lock survives restarts. Command results and operator actions are still logged: bookmarks, holding, redacting, compacting.
    /// - Parameter reason: 1 to `Lock.reasonBytesMax` bytes; the caller checks this.
    /// - Throws: `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func lock(_ reason: String, by uid: UInt32) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.lock(reason, by: uid) }
    }

    /// Unlocks the log and waits until that is on disk; logs nothing if it is not locked.
    /// - Throws: as `lock`.
    @discardableResult
    public nonisolated func unlock(by uid: UInt32) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.unlock(by: uid) }
    }
}

/// An invariant and whether the present state meets it.
public struct StandingInvariant: Sendable {
    /// The invariant.
    public var invariant: Invariant
    /// Whether it holds now; `nil` if this version can't read the condition and so does not check it.
    public var holds: Bool?
}

extension Store {
    /// Adds or replaces an invariant, and waits until that is on disk.
    ///
    /// A later dispatch or undo that would break it is refused with `.invariantBroken`, and a command result that would is parked. An
    /// invariant that does not hold yet is enforced once it holds.
    /// - Parameters:
    ///   - name: a valid name of 1 to `Invariant.nameBytesMax` bytes.
    ///   - expression: a valid expression of at most `Invariant.textBytesMax` bytes for which `Expression.isJudgedByChanges` is true.
    /// - Throws: `.tooManyInvariants`; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func setInvariant(
        _ name: String, _ expression: Expression, by uid: UInt32
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        let invariant = Invariant(name: name, text: expression.text, origin: uid)
        for _ in 0..<Limits.invariantAttemptsMax {
            let state = present.state
            let checked = try await queries.admit(.long) { (queries) async throws(StoreError) in
                try await InvariantState<App>(name, expression, at: state, queries)
            }
            do throws(StoreError) {
                return try await perform(for: uid) { store throws(StoreError) in
                    try store.stagedLog.stageInvariant(invariant, checked, at: state)
                }
            } catch {
                guard error == .outdated else { throw error }
            }
        }
        throw .busy
    }

    /// Removes an invariant.
    /// - Throws: `.unknownInvariant`, and the errors of `setInvariant`.
    @discardableResult
    public nonisolated func removeInvariant(
        _ name: String, by uid: UInt32
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.removeInvariant(name, by: uid) }
    }

    /// The invariants, in the order in which they were set, and whether the present state meets them.
    public nonisolated func invariants() async throws(StoreError) -> [StandingInvariant] {
        try await queries.admit(.long) { (queries) async throws(StoreError) in
            let present = self.present
            var standing: [StandingInvariant] = []
            for invariant in present.invariants {
                var holds: Bool?
                if let expression = try? Expression(invariant.text, of: App.shape) {
                    var evaluation = expression.evaluation(in: StateReading<App>(present.state))
                    while holds == nil {
                        holds = evaluation.advance(steps: Limits.invariantStepsMax)
                        try await queries.yieldIfNeeded()
                    }
                }
                standing.append(StandingInvariant(invariant: invariant, holds: holds))
            }
            return standing
        }
    }

    /// Lets one caller import batch by batch; all other writes are refused with `.busy`.
    /// - Throws: `.busy` if another import is running, and the errors of the body.
    public nonisolated func writingExclusively(_ body: () async throws -> Void) async throws {
        // In a shared flush, another call's failure could leave the log locked.
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.stagedLog.beginImport() }
        do {
            try await body()
        } catch {
            await endImport()
            throw error
        }
        await endImport()
    }

    /// Ends the import, regardless of the queue and even if the store stops.
    private nonisolated func endImport() async { try? await run(.afterAll) { $0.stagedLog.isImporting = false } }

    /// Imports a part of another log's history, as a whole or not at all, and waits until it is on disk.
    /// - Throws: `.stale` if the log does not end where the part begins, `.damaged` if a record can't be read, a number exceeds
    ///   `ImportLimits` or there are too many bookmarks, and the errors of a dispatch.
    public nonisolated func importBatch(_ batch: ImportBatch) async throws(StoreError) {
        _ = try await perform(exclusive: true, counting: .batch) { store throws(StoreError) in
            try store.stagedLog.stageImport(batch)
        }
    }

    /// Compacts the log in order with the dispatches, and waits until that is on disk.
    /// - Parameter body: compacts on the store's thread, without changing the head of the log; throws `.othersFirst` if it must be retried
    ///   after other machines' records.
    public nonisolated func compact(_ body: @escaping @Sendable () throws(ActionLogError) -> Void) async throws(StoreError) {
        _ = try await perform(exclusive: true) { store throws(StoreError) in
            guard store.options.access == .readWrite else { throw .readOnly }
            return try store.behindOthers { () throws(StoreError) in try store.runCompaction(body) }
        }
    }

    // Returns `nil` if other machines appended to a shared log first.
    private func runCompaction(
        _ body: () throws(ActionLogError) -> Void
    ) throws(StoreError) -> DispatchResult<App.Command>? {
        stagedLog.pending.isSettled = true
        stagedLog.forgetBookmarkOwners()
        do throws(ActionLogError) { try body() } catch {
            if case .unknownOutcome(let what) = error { options.onUnknownOutcome(what) }
            guard error == .othersFirst else { throw StoreError(error) }
            return nil
        }
        return stagedLog.nothing
    }

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
        _ = try await perform(exclusive: true) { store throws(StoreError) in
            if let obstacle = store.stagedLog.obstacle { throw obstacle }
            return try store.behindOthers { () throws(StoreError) in try store.takeOut(redaction, checker, of: conditions) }
        }
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
        try App.fold(log, from: through + 1, through: last, into: &state)
        (self.state, through) = (state, last)
    }
}

/// Replacements of logged actions, and the resulting state.
public struct Redaction<App: Feature>: Sendable {
    /// The records, oldest first, each once, at least one; and their new actions.
    public var actions: [(sequence: UInt64, action: App.Action)]
    /// The state with the new actions, at `through`; the store folds up to `Limits.meanwhileRecordsMax` later records.
    public var state: App.State
    /// The last record that the state includes.
    public var through: UInt64
    /// The number of earlier redactions of the log; more refuse the redaction with `.outdated`.
    public var redactions: UInt64

    public init(actions: [(sequence: UInt64, action: App.Action)], state: App.State, through: UInt64, redactions: UInt64) {
        precondition(!actions.isEmpty, "a redaction is one of some records")
        (self.actions, self.state, self.through, self.redactions) = (actions, state, through, redactions)
    }

    var first: UInt64 { actions[0].sequence }
}
