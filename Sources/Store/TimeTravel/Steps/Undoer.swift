public import Chronicle
import ChronicleLog
public import ChronicleStore

/// Undoes steps by appending compensating actions.
///
/// Undos of one log run one at a time, and each waits for at most one of every other uid. Their actions are computed on the query thread,
/// while dispatches go on. They are computed again if a step to undo has been continued, or if another machine has appended an undo.
public struct Undoer<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let store: Store<App>
    let history: History<App>

    /// Creates an undoer for a store and the history of its log.
    public init(_ store: Store<App>, _ history: History<App>) {
        self.store = store
        self.history = history
    }

    /// Undoes steps, all or none, as one new step.
    public func undo(_ request: UndoRequest) async throws(StoreError) -> Undone<App.Command> {
        let call = request.call
        return try await serialized(call) { redactions async throws(StoreError) in
            let plan = try await history.plan(request)
            let steps = plan.parts.map(\.step)
            return try await commit(
                call, cancelling: .steps(steps, expecting: plan.parts.flatMap(\.open)), through: plan.through,
                touching: plan.touched, redactions: redactions, steps: steps, effects: plan.parts.flatMap(\.effects)
            ) { before, now throws(StoreError) in try plan.decide(before, now, insists: request.insists) }
        }
    }

    typealias Computation = (_ redactions: UInt64) async throws(StoreError) -> Undone<App.Command>

    /// Runs a call when all earlier ones have ended.
    func serialized(_ call: UndoCall, _ compute: Computation) async throws(StoreError) -> Undone<App.Command> {
        let undone = try await history.undos.withLock(for: call.origin) { () async throws(StoreError) in
            try await repeated(call, compute)
        }
        guard let undone else { throw .stopping }
        return undone
    }

    /// Runs a call, again if its result is outdated at the commit; an earlier call with the same key is answered instead, because the same
    /// request now means other steps.
    func repeated(_ call: UndoCall, _ compute: Computation) async throws(StoreError) -> Undone<App.Command> {
        try await history.repeated { redactions async throws(StoreError) in
            if let first = try await earlierAnswer(to: call) { return first }
            return try await compute(redactions)
        }
    }

    /// Commits an undo batch.
    /// - Throws: `outdated`; `nothingLeft` if the steps have no remaining effect, which can't be forced, either.
    func commit(
        _ call: UndoCall, cancelling: UndoBatch<App>.Cancelling, through: UInt64 = .max, touching: ScopeSet = [],
        redactions: UInt64, steps: [UInt64] = [], effects: [Undone<App.Command>.Effect] = [],
        _ decide: @escaping UndoBatch<App>.Decision
    ) async throws(StoreError) -> Undone<App.Command> {
        let compensation = UndoBatch<App>(
            origin: call.origin, key: call.key, digest: call.digest, cancelling: cancelling, through: through, touching: touching,
            redactions: redactions, expectedOutcome: call.expectedOutcome,
            aside: Undone.aside(steps: steps, effects: effects), purpose: call.isDryRun ? .dryRun : .log, decide: decide)
        let answer = try await store.compensate(compensation)
        if answer.isDuplicate { return try await undone(by: answer) }
        if answer.sequences.isEmpty, !call.isDryRun, let step = steps.first { throw .nothingLeft(step) }
        return Undone(
            answer: answer, step: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound, steps: steps,
            effects: effects)
    }

    /// Commits a diff that was computed in advance.
    /// - Parameters:
    ///   - restores: the moment that is restored.
    ///   - merges: the records of a fork that are merged.
    func commit(
        _ reversion: Reversion<App>, _ call: UndoCall, restores: UInt64? = nil, merges: ForkMark? = nil,
        cancelling: UndoBatch<App>.Cancelling, through: UInt64 = .max, redactions: UInt64, steps: [UInt64] = [],
        effects: [Undone<App.Command>.Effect] = []
    ) async throws(StoreError) -> Undone<App.Command> {
        try await commit(
            call, cancelling: cancelling, through: through, redactions: redactions, steps: steps, effects: effects
        ) { before, now throws(StoreError) in
            let actions = try reversion.decide(before, now)
            return actions.isEmpty ? [] : [.init(undoes: nil, restores: restores, merges: merges, actions: actions)]
        }
    }

    private func earlierAnswer(to call: UndoCall) async throws(StoreError) -> Undone<App.Command>? {
        guard let key = call.key else { return nil }
        let question = UndoBatch<App>(
            origin: call.origin, key: key, digest: call.digest, cancelling: .steps([], expecting: [])
        ) { _, _ throws(StoreError) in throw .outdated }
        do throws(StoreError) {
            return try await undone(by: try await store.compensate(question))
        } catch {
            guard error == .outdated else { throw error }
            return nil
        }
    }

    /// The steps of an earlier result, read from its records.
    private func undone(by answer: DispatchResult<App.Command>) async throws(StoreError) -> Undone<App.Command> {
        var undone = Undone(answer: answer, step: 0)
        guard let last = answer.sequences.last else { return undone }
        // Compacted records can't be read.
        guard answer.sequences.lowerBound > history.base.sequence else { return undone }
        var next = answer.sequences.lowerBound
        while next <= last {
            let records = try await store.records(from: next, through: last)
            guard let end = records.last else { break }
            for record in records {
                undone.step = record.header.step
                if let step = record.header.undoes, undone.steps.last != step { undone.steps.append(step) }
            }
            next = end.header.sequence + 1
        }
        return undone
    }
}

extension History {
    /// Computes changes of the log on the query thread, again while the store refuses them with `outdated`.
    /// - Parameter compute: gets the number of redactions at its start.
    /// - Throws: `busy` after `HistoryLimits.undoAttemptsMax` attempts.
    public func repeated<Answer>(
        _ compute: (_ redactions: UInt64) async throws(StoreError) -> Answer
    ) async throws(StoreError) -> Answer {
        for _ in 0..<HistoryLimits.undoAttemptsMax {
            do throws(StoreError) { return try await compute(redactions) } catch { guard error == .outdated else { throw error } }
        }
        throw .busy
    }
}
