public import Chronicle
import ChronicleLog
public import ChronicleStore

/// Undoes steps by appending compensating actions.
///
/// The actions are computed on the query thread. If another undo or a record of these steps is committed first, the computation is
/// retried. Other undos wait for one that was overtaken several times; dry runs neither wait nor block.
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
        if let first = try await earlierAnswer(to: request.key, of: request.origin, digest: request.digest) { return first }
        return try await unovertaken(request.origin, request.isDryRun) { () async throws(StoreError) in try await attempt(request)
        }
    }

    private func attempt(_ request: UndoRequest) async throws(StoreError) -> Undone<App.Command> {
        let redactions = history.redactions
        let plan = try await history.plan(request)
        let steps = plan.parts.map(\.step)
        let effects = plan.parts.flatMap(\.effects)
        let compensation = Compensation<App>(
            origin: request.origin, key: request.key, digest: request.digest,
            cancelling: .steps(steps, expecting: plan.parts.flatMap(\.open)), through: plan.through,
            touching: plan.touched, redactions: redactions, expectedOutcome: request.expectedOutcome,
            aside: Undone.aside(steps: steps, effects: effects), purpose: request.isDryRun ? .dryRun : .log
        ) { before, now throws(StoreError) in try plan.decide(before, now, insists: request.insists) }
        let answer = try await store.compensate(compensation)
        if answer.isDuplicate { return try await undone(by: answer) }
        // Steps without remaining effect can't be forced, either.
        if answer.sequences.isEmpty, !request.isDryRun, let step = steps.first { throw .nothingLeft(step) }
        return Undone(
            answer: answer, step: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound, steps: steps,
            effects: effects)
    }

    /// Retries until no other commit interferes; in a turn after too many retries.
    func unovertaken<Answer>(
        _ uid: UInt32, _ isDryRun: Bool, _ attempt: () async throws(StoreError) -> Answer
    ) async throws(StoreError) -> Answer {
        var attempts = Attempts()
        while true {
            if isDryRun {
                do throws(StoreError) { return try await attempt() } catch { try attempts.note(error) }
            } else if !attempts.wantTurn {
                await history.turns.pass()
                do throws(StoreError) { return try await attempt() } catch { try attempts.note(error) }
            } else {
                let answer = try await history.turns.take(uid) { () async throws(StoreError) in
                    try await attempts.goOn(inTurn: attempt)
                }
                if let answer { return answer }
            }
        }
    }

    /// The result of an earlier request with the same key; checked first, because the same request now means other steps.
    func earlierAnswer(to key: String?, of origin: UInt32, digest: UInt64) async throws(StoreError) -> Undone<App.Command>? {
        guard let key else { return nil }
        let question = Compensation<App>(
            origin: origin, key: key, digest: digest, cancelling: .steps([], expecting: []), through: .max
        ) { _, _ throws(StoreError) in throw .overtaken }
        do throws(StoreError) {
            return try await undone(by: try await store.compensate(question))
        } catch {
            guard error == .overtaken else { throw error }
            return nil
        }
    }

    /// The steps of an earlier result, read from its records.
    private func undone(by answer: Acknowledgement<App.Command>) async throws(StoreError) -> Undone<App.Command> {
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
