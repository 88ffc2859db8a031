import Records
public import Reducing
public import StoreRuntime
public import Values

/// Takes back what happened, by appending what leads back to how it was.
///
/// What is to be appended is found out beside the store, on the query thread, and decided in line, on the state that it meets; if
/// meanwhile anything else was taken back, or one of these steps went on, it is found out again. Others who take something back wait for
/// whom they overtook several times; for what is only tried out nobody waits, and it waits for nobody.
public struct Undoer<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let store: Store<App>
    let history: History<App>

    /// Makes one over a store and the past of its log.
    public init(_ store: Store<App>, _ history: History<App>) {
        self.store = store
        self.history = history
    }

    /// Takes steps back, all of them or none, as a step of its own.
    public func undo(_ request: UndoRequest) async throws(StoreError) -> Undone<App.Command> {
        if let first = try await earlierAnswer(to: request.key, of: request.origin, digest: request.digest) { return first }
        return try await unovertaken(request.origin, request.isDryRun) { () async throws(StoreError) in try await attempt(request)
        }
    }

    /// Tries once to take steps back.
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
        // What nothing is left of can't be overwritten, either.
        if answer.sequences.isEmpty, !request.isDryRun, let step = steps.first { throw .nothingLeft(step) }
        return Undone(
            answer: answer, step: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound, steps: steps,
            effects: effects)
    }

    /// Tries until nothing came in between: beside others first, and in turns once it was overtaken too often.
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

    /// The answer to an earlier request with the same key; asked before anything is found out, because the same words mean another step now.
    func earlierAnswer(
        to key: String?, of origin: UInt32, digest: UInt64
    ) async throws(StoreError) -> Undone<App.Command>? {
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

    /// What an earlier answer was about, as the records tell.
    private func undone(by answer: Acknowledgement<App.Command>) async throws(StoreError) -> Undone<App.Command> {
        var undone = Undone(answer: answer, step: 0)
        guard let last = answer.sequences.last else { return undone }
        // What is in the archive can't tell any more.
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
