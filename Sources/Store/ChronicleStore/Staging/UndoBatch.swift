public import Chronicle
public import ChronicleLog

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
            self.undoes = undoes
            self.restores = restores
            self.merges = merges
            self.actions = actions
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
        self.origin = origin
        self.key = key
        self.digest = digest
        self.cancelling = cancelling
        self.through = through
        self.touching = touching
        self.redactions = redactions
        self.expectedOutcome = expectedOutcome
        self.aside = aside
        self.purpose = purpose
        self.decide = decide
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
