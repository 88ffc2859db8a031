public import Records
public import Reducing

/// A batch whose actions are decided in line, on the very state that they will meet: what takes back what happened.
///
/// The actions are logged as they are, without `prepare`: they lead to a state that was there before.
public struct Compensation<App: Feature>: Sendable {
    /// Actions, and the step that they take back.
    public struct Part: Sendable {
        /// The step; `nil`: none in particular.
        public var undoes: UInt64?
        /// The moment as at which they put something back; `nil`: none in particular.
        public var restores: UInt64?
        /// Which records of a fork they bring; `nil`: none.
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
        /// Those of some steps; these must be open still, or what was found out about the steps is no longer all.
        case steps([UInt64], expecting: [CommandID])
        /// All that were asked for after a sequence, or those of one feature.
        case askedAfter(UInt64, of: String? = nil)
        /// These, as far as they are open still.
        case these([CommandID])
    }

    /// Says what is to be logged, given the state before and after the commands were cancelled.
    public typealias Decision = @Sendable (_ before: App.State, _ now: App.State) throws(StoreError) -> [Part]

    /// The uid of the peer who asks.
    public var origin: UInt32
    /// Makes a retry harmless, as for a dispatch.
    public var key: String?
    /// Stands for what was asked, so that a key is used for nothing else.
    public var digest: UInt64
    /// The epoch that the sender believes in.
    public var epoch: UInt64?
    /// The open commands that are cancelled first.
    public var cancelling: Cancelling
    /// The last record that was looked at; if anything has been taken back since, it is refused with `.overtaken`, and if one of its
    /// steps has gone on, with `.wentOn`.
    public var through: UInt64
    /// The scopes that the steps changed; if one of them was wiped since, it is refused with `.wentOn`.
    public var touching: ScopeSet
    /// How many redactions the log had then; if there are more, it is refused with `.overtaken`.
    ///
    /// `nil`: it rests on nothing that was folded.
    public var redactions: UInt64?
    /// What a dry run said that it comes to, which a person has seen; if it comes to something else by now, it is refused with `.stale`.
    ///
    /// Not that the log has not grown: others count and add all the time, which takes nothing from what was seen.
    public var expectedOutcome: UInt64?
    /// Stands for what else is told of it than what the store finds out: another one is another outcome.
    public var aside: UInt64
    /// Whether it is logged.
    public var purpose: Dispatch<App.Action>.Purpose
    /// What is to be logged; on the store's thread, so not for long.
    public var decide: Decision

    public init(
        origin: UInt32, key: String? = nil, digest: UInt64 = 0, epoch: UInt64? = nil, cancelling: Cancelling,
        through: UInt64 = .max, touching: ScopeSet = [], redactions: UInt64? = nil, expectedOutcome: UInt64? = nil,
        aside: UInt64 = 0, purpose: Dispatch<App.Action>.Purpose = .log, decide: @escaping Decision
    ) {
        self.origin = origin
        self.key = key
        self.digest = digest
        self.epoch = epoch
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
