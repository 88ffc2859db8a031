public import Chronicle
public import ChronicleLog
public import Expressions

/// A batch of actions that is logged as a whole or not at all.
public struct Dispatch<Action: Sendable>: Sendable {
    public var actions: [Action]
    /// The uid of the sender; root by default.
    public var origin: UInt32
    /// The idempotency key, at most `Limits.keyBytesMax` bytes: a retry with the same key and uid gets the first answer again.
    public var key: String?
    /// An earlier step of the same uid that this dispatch continues; `nil` begins a new step.
    public var step: UInt64?
    /// The sequence that the sender saw: a later change in `scope`, or in the whole log without a scope, refuses the dispatch.
    public var expectedSequence: UInt64?
    /// The scope of `expectedSequence`, as an index in `Feature.scopes`.
    public var scope: Int?
    /// The epoch that the sender expects.
    public var epoch: UInt64?
    /// A condition on the resulting state, evaluated in at most `Limits.requirementStepsMax` steps.
    public var requirement: Expression?
    public var purpose: Purpose
    /// Approximate size of the request in bytes; counted with the actions as memory while the dispatch waits.
    public var byteCount: Int
    /// Whether the limits of one uid apply; `false` for an administrator.
    public var isOfOwner: Bool
    /// Whether `step` belongs to the uid; `nil` if the log was not asked.
    var isOwnStep: Bool?

    public enum Purpose: Sendable {
        case log
        /// A dry run: decided and folded, then discarded.
        case dryRun
    }

    public init(
        _ actions: [Action], origin: UInt32 = 0, key: String? = nil, step: UInt64? = nil, expectedSequence: UInt64? = nil,
        scope: Int? = nil, epoch: UInt64? = nil, requirement: Expression? = nil, purpose: Purpose = .log, byteCount: Int = 0,
        isOfOwner: Bool = false
    ) {
        self.actions = actions
        self.origin = origin
        self.key = key
        self.step = step
        self.expectedSequence = expectedSequence
        self.scope = scope
        self.epoch = epoch
        self.requirement = requirement
        self.purpose = purpose
        self.byteCount = byteCount
        self.isOfOwner = isOfOwner
    }

    var waitingBytes: Int { byteCount + actions.count * MemoryLayout<Action>.stride }

    /// Approximate cost of deciding it, as a number of short actions.
    var cost: Int { max(1, actions.count, byteCount / Limits.bytesPerAction) + (requirement == nil ? 0 : Limits.turnCostMax) }
}

/// The answer to a dispatch whose records are on disk.
public struct DispatchResult<Command: Sendable>: Sendable {
    public var epoch: UInt64
    /// The records of the batch; empty if its actions changed nothing.
    public var sequences: Range<UInt64>
    /// The ids that the batch assigned, in order.
    public var ids: [UInt64] = []
    /// The ids of objects that the actions would have created and that existed already.
    public var existing: [UInt64] = []
    /// Whether it repeats the answer to an earlier dispatch with the same key.
    public var isDuplicate = false
    /// The presentational commands of the batch, which the client executes.
    public var presentations: [Command] = []
    /// The changes that a dry run would make; `nil` otherwise.
    public var changes: [Change]?
    /// The commands that a dry run would request; `nil` otherwise.
    public var commands: [Command]?
    /// A digest of everything that an undo batch would change, for a dry run; `nil` otherwise.
    public var outcome: UInt64?
    /// Whether the batch requested commands that are held until someone releases them.
    public var areCommandsHeld = false
    /// Computes the missing parts; `nil` if nothing is missing.
    var rest: Rest?

    typealias Rest = @Sendable () async throws(StoreError) -> DispatchResult

    /// Whether `Store.complete` has nothing to add.
    public var isWhole: Bool { rest == nil }
}

/// An undo batch: actions that are decided on the exact state to which they are applied.
///
/// They are logged without `prepare`, because they restore an earlier state.
public struct UndoBatch<App: Feature>: Sendable {
    /// Actions and the step that they undo.
    public struct Part: Sendable {
        /// The step; `nil` if none in particular.
        public var undoes: UInt64?
        /// The moment whose values are restored; `nil` if none in particular.
        public var restores: UInt64?
        /// The records of a fork that are merged; `nil` if none.
        public var merges: ForkMark?
        /// The actions, as logged.
        public var actions: [App.Action]

        public init(undoes: UInt64?, restores: UInt64? = nil, merges: ForkMark? = nil, actions: [App.Action]) {
            (self.undoes, self.restores, self.merges, self.actions) = (undoes, restores, merges, actions)
        }
    }

    /// The open commands that are cancelled first, in the same flush.
    public enum Cancelling: Sendable {
        /// Commands of these steps; exactly the expected ones must be open.
        case steps([UInt64], expecting: [CommandID])
        /// All commands requested after a sequence, optionally of one feature.
        case askedAfter(UInt64, of: String? = nil)
        /// These commands, if they are open.
        case these([CommandID])
    }

    /// Decides what to log, given the states before and after the commands were cancelled.
    public typealias Decision = @Sendable (_ before: App.State, _ now: App.State) throws(StoreError) -> [Part]

    /// The uid of the sender.
    public var origin: UInt32
    /// The idempotency key, as for a dispatch.
    public var key: String?
    /// A digest of the request, so that a key can't be reused for a different request.
    public var digest: UInt64
    /// The open commands that are cancelled first.
    public var cancelling: Cancelling
    /// The last record on which the decision depends: later undos, and later records of its steps, refuse the batch with `.outdated`.
    public var through: UInt64
    /// The scopes that the steps changed; overwriting one of them since refuses the batch with `.outdated`.
    public var touching: ScopeSet
    /// The number of redactions of the log then; more refuse the batch with `.outdated`; `nil` if the batch does not depend on folded
    /// state.
    public var redactions: UInt64?
    /// The outcome of a dry run; another outcome refuses the batch with `.stale`.
    ///
    /// Unlike an expected sequence, it allows unrelated changes.
    public var expectedOutcome: UInt64?
    /// A digest of further reported details, which are part of the outcome.
    public var aside: UInt64
    /// Whether it is logged.
    public var purpose: Dispatch<App.Action>.Purpose
    /// Decides what to log, on the store's thread: must be fast.
    public var decide: Decision

    public init(
        origin: UInt32, key: String? = nil, digest: UInt64 = 0, cancelling: Cancelling,
        through: UInt64 = .max, touching: ScopeSet = [], redactions: UInt64? = nil, expectedOutcome: UInt64? = nil,
        aside: UInt64 = 0, purpose: Dispatch<App.Action>.Purpose = .log, decide: @escaping Decision
    ) {
        (self.origin, self.key, self.digest, self.cancelling, self.through) = (origin, key, digest, cancelling, through)
        (self.touching, self.redactions, self.expectedOutcome, self.aside) = (touching, redactions, expectedOutcome, aside)
        (self.purpose, self.decide) = (purpose, decide)
    }
}

extension UndoBatch where App.Action: CanonicalCodable {
    /// Checks the records after `through`, which must be on disk, and moves it to `last`.
    /// - Throws: `.outdated`.
    mutating func advance(through last: UInt64, in log: any ActionLog) throws(StoreError) {
        guard through < last else { return }
        guard log.first <= through + 1 else { throw .outdated }
        let steps: Set<UInt64> = if case .steps(let steps, _) = cancelling { Set(steps) } else { [] }
        var isOutdated = false
        try StoreError.reading { () throws(ActionLogError) in
            try App.Action.read(log, from: through + 1, through: last) { [touching] record, action in
                let overwritten = action.map { App.overwrittenScopes(by: $0, restores: record.restores != nil) } ?? []
                isOutdated =
                    record.undoes != nil || record.restores != nil || record.isMerge || steps.contains(record.step)
                    || !overwritten.isDisjoint(with: touching)
                return !isOutdated
            }
        }
        guard !isOutdated else { throw .outdated }
        through = last
    }
}

extension Feature {
    /// The scopes that a record overwrites.
    /// - Parameter restores: whether the record restores a moment, which overwrites later changes whatever the action is.
    public static func overwrittenScopes(by action: Action, restores: Bool) -> ScopeSet {
        let own = overwrittenScopes(by: action)
        return restores ? own.union(overwritableScopes.intersection(scopes(of: action))) : own
    }
}

/// A store for tests that decides and commits each call on the calling thread, by the rules of `Store`.
package struct ImmediateStore<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    private let log: any ActionLog
    private var stagedLog: StagedLog<App>

    package init(_ initial: App.State, log: any ActionLog, options: StoreOptions) throws(StoreError) {
        self.log = log
        stagedLog = StagedLog(try RecoveryResult(from: log, initial: initial), log: log, options: options)
    }

    /// The sequence of the last record.
    package var sequence: UInt64 { stagedLog.staged.sequence }

    /// The time of the next record.
    package var nextTime: Int64 { stagedLog.nextTime(stagedLog.options.clock.wall()) }

    /// An open command.
    package func command(_ id: CommandID) -> OpenCommand<App.Command>? { stagedLog.outbox[id] }

    /// - Returns: the new records.
    package mutating func dispatch(_ dispatch: Dispatch<App.Action>) throws(StoreError) -> [LoggedRecord<App>] {
        try commit { stagedLog throws(StoreError) in _ = try stagedLog.stageDispatch(dispatch) }
    }

    /// - Returns: the new records.
    package mutating func submit(_ order: CommandOrder<App.Action>) throws(StoreError) -> [LoggedRecord<App>] {
        try commit { stagedLog throws(StoreError) in _ = try stagedLog.stageCommandOrder(order) }
    }

    /// Logs an action as it was logged elsewhere: without `prepare`, and without its commands, whose ends are records of their own.
    package mutating func replay(_ action: App.Action, time: Int64, origin: UInt32) throws(StoreError) {
        _ = try commit { stagedLog in
            var header = RecordHeader(kind: .action, sequence: 0, time: 0, origin: origin, build: stagedLog.options.build)
            stagedLog.place(&header, at: time)
            header.step = header.sequence
            _ = App.reduce(&stagedLog.staged.state, action, Context(time: header.time, origin: origin))
            stagedLog.pending.stage(header, action)
        }
    }

    private mutating func commit(
        _ stage: (inout StagedLog<App>) throws(StoreError) -> Void
    ) throws(StoreError) -> [LoggedRecord<App>] {
        let first = sequence + 1
        try stage(&stagedLog)
        if !stagedLog.pending.flush.isEmpty {
            try StoreError.reading { () throws(ActionLogError) in try stagedLog.pending.write(to: log) }
        }
        stagedLog.noteCommitted()
        stagedLog.pending.restart(after: log.head)
        _ = stagedLog.outbox.takeChanges()
        guard first <= sequence else { return [] }
        return try LoggedRecord.page(from: first, through: sequence, in: log, recordsMax: .max, bytesMax: .max)
    }
}
