public import Chronicle
public import ChronicleLog
public import ChronicleStore
import ChronicleValues

/// Undoes steps by appending compensating actions.
///
/// Undos of one log run one at a time, and each waits for at most one of every other uid. Their actions are computed on the query thread,
/// while dispatches go on. They are computed again if a step to undo has been continued, or if another machine has appended an undo.
public struct Undoer<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let store: Store<App>
    let history: History<App>

    public init(_ store: Store<App>, _ history: History<App>) {
        (self.store, self.history) = (store, history)
    }

    /// Undoes steps, all or none, as one new step.
    public func undo(_ choice: UndoChoice, _ call: UndoCall) async throws(StoreError) -> Undone<App.Command> {
        try await serialized(call, digest: choice.digest(call)) { call async throws(StoreError) in
            let plan = try await history.plan(choice, call)
            let steps = plan.parts.map(\.step)
            return try await commit(
                call, cancelling: .steps(steps, expecting: plan.parts.flatMap(\.open)), through: plan.through,
                touching: plan.touched, steps: steps, effects: plan.parts.flatMap(\.effects)
            ) { before, now throws(StoreError) in try plan.decide(before, now, insists: call.insists) }
        }
    }

    typealias Computation = (UndoCall) async throws(StoreError) -> Undone<App.Command>

    /// Runs a call when all earlier ones have ended.
    /// - Parameter digest: identifies the request of a key.
    func serialized(
        _ call: UndoCall, digest: UInt64, _ compute: Computation
    ) async throws(StoreError) -> Undone<App.Command> {
        let undone = try await history.undos.withLock(for: call.origin) { () async throws(StoreError) in
            try await repeated(call, digest: digest, compute)
        }
        guard let undone else { throw .stopping }
        return undone
    }

    /// Runs a call, again if its result is outdated at the commit; an earlier call with the same key is answered instead, because the same
    /// request now means other steps.
    func repeated(_ call: UndoCall, digest: UInt64, _ compute: Computation) async throws(StoreError) -> Undone<App.Command> {
        try await history.repeated { redactions async throws(StoreError) in
            var call = call
            (call.digest, call.redactions) = (digest, redactions)
            if let first = try await earlierAnswer(to: call) { return first }
            return try await compute(call)
        }
    }

    /// Commits an undo batch.
    /// - Throws: `outdated`; `nothingLeft` if the steps have no remaining effect, which can't be forced, either.
    func commit(
        _ call: UndoCall, cancelling: UndoBatch<App>.Cancelling, through: UInt64 = .max, touching: ScopeSet = [],
        steps: [UInt64] = [], effects: [Undone<App.Command>.Effect] = [], _ decide: @escaping UndoBatch<App>.Decision
    ) async throws(StoreError) -> Undone<App.Command> {
        let compensation = UndoBatch<App>(
            origin: call.origin, key: call.key, digest: call.digest, cancelling: cancelling, through: through, touching: touching,
            redactions: call.redactions, expectedOutcome: call.expectedOutcome,
            aside: Undone.aside(steps: steps, effects: effects), purpose: call.isDryRun ? .dryRun : .log, decide: decide)
        let answer = try await store.compensate(compensation)
        if answer.isDuplicate { return try await undone(by: answer) }
        if answer.sequences.isEmpty, !call.isDryRun, let step = steps.first { throw .nothingLeft(step) }
        return Undone(answer: answer, step: answer.sequences.first ?? 0, steps: steps, effects: effects)
    }

    /// Commits a diff that was computed in advance.
    /// - Parameters:
    ///   - restores: the moment that is restored.
    ///   - merges: the records of a fork that are merged.
    func commit(
        _ reversion: Reversion<App>, _ call: UndoCall, restores: UInt64? = nil, merges: ForkMark? = nil,
        cancelling: UndoBatch<App>.Cancelling, through: UInt64 = .max, steps: [UInt64] = [],
        effects: [Undone<App.Command>.Effect] = []
    ) async throws(StoreError) -> Undone<App.Command> {
        try await commit(call, cancelling: cancelling, through: through, steps: steps, effects: effects) {
            before, now throws(StoreError) in
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

/// The steps to undo.
public enum UndoChoice: Sendable, Equatable {
    /// The last n active steps, except undos, edits, queries, and steps of results only.
    case last(Int)
    /// These steps, by their number or any of their records; undos are allowed.
    case steps([UInt64])
    /// The last n undos, unless something new was done since.
    case redo(Int)

    fileprivate func digest(_ call: UndoCall) -> UInt64 {
        var writer = CanonicalWriter()
        switch self {
        case .last(let count): writer.element(1, UInt64(clamping: count))
        case .steps(let steps): for step in steps { writer.element(2, step) }
        case .redo(let count): writer.element(3, UInt64(clamping: count))
        }
        writer.field(4, call.isForAnyone)
        writer.field(5, call.insists)
        return Checksum.of(writer.bytes.span.bytes)
    }
}

/// The peer and the options of an undo.
public struct UndoCall: Sendable {
    /// The uid of the peer.
    let origin: UInt32
    /// Whether steps of all uids may be undone.
    let isForAnyone: Bool
    /// Whether to overwrite values that have changed since.
    let insists: Bool
    let key: String?
    let expectedOutcome: UInt64?
    let isDryRun: Bool
    /// Identifies the request of a key.
    var digest: UInt64 = 0
    /// The redactions before the undo is computed.
    var redactions: UInt64 = 0

    /// - Parameters:
    ///   - key: the idempotency key.
    ///   - expectedOutcome: the outcome of a dry run; if the outcome differs now, nothing is done.
    ///   - isDryRun: whether to commit nothing; the result's changes are the diff.
    public init(
        origin: UInt32, isForAnyone: Bool = false, insists: Bool = false, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) {
        (self.origin, self.isForAnyone, self.insists) = (origin, isForAnyone, insists)
        (self.key, self.expectedOutcome, self.isDryRun) = (key, expectedOutcome, isDryRun)
    }
}

public struct Undone<Command: NamedCommand>: Sendable {
    /// An external effect that had already happened.
    public struct Effect: Sendable, Equatable {
        public var id: CommandID
        public var command: Command
        /// Whether it finished; otherwise it was cancelled after it began, and may or may not have happened.
        public var isCertain: Bool
    }

    /// The store's result: the records, the changes, and the commands requested now.
    public var answer: DispatchResult<Command>
    /// The step of the records; 0 without records.
    public var step: UInt64
    /// The undone steps, newest first.
    public var steps: [UInt64] = []
    public var effects: [Effect] = []

    /// Digest of the parts of the result that the store does not know.
    static func aside(steps: [UInt64], effects: [Effect]) -> UInt64 {
        var writer = CanonicalWriter()
        for step in steps { writer.element(1, step) }
        for effect in effects {
            writer.message(2) { writer in
                writer.field(1, effect.id.sequence)
                writer.field(2, UInt64(effect.id.index))
                writer.field(3, effect.isCertain)
            }
        }
        return Checksum.of(writer.bytes.span.bytes)
    }
}
