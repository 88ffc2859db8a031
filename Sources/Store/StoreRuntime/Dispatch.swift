public import Expressions

/// What a client asks of the store: a batch of actions that is logged whole or not at all.
public struct Dispatch<Action: Sendable>: Sendable {
    /// The actions, as dispatched.
    public var actions: [Action]
    /// The uid of the peer who asks.
    public var origin: UInt32
    /// Makes a retry harmless: the same key of the same uid gives the first answer again.
    ///
    /// At most `Limits.keyBytesMax` bytes.
    public var key: String?
    /// An earlier step of the same uid that this dispatch continues; `nil` begins a new one.
    public var step: UInt64?
    /// The sequence that the sender saw: nothing in `scope` (or, without one, in the whole log) may have changed since.
    public var expectedSequence: UInt64?
    /// The scope that `expectedSequence` is about, as an index in `Feature.scopes`.
    public var scope: Int?
    /// The epoch that the sender believes in.
    public var epoch: UInt64?
    /// What the state that it leads to must meet; at most `Limits.requirementStepsMax` steps.
    public var requirement: Expression?
    /// What happens with the answer.
    public var purpose: Purpose
    /// About how many bytes its sender wrote; with its actions, what it takes while it waits.
    public var byteCount: Int
    /// Whether the limits of one uid apply; `false` if the sender may administer.
    public var isOfOwner: Bool
    /// Whether the log was asked if the step is one of the uid, and what it said.
    var isOwnStep: Bool?

    /// Whether the batch is logged.
    public enum Purpose: Sendable {
        /// It is logged.
        case log
        /// A dry run: accepted and folded, then forgotten.
        case dryRun
    }

    /// Makes a dispatch; everything but the actions has a default.
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

    /// What it takes while it waits.
    var waitingBytes: Int { byteCount + actions.count * MemoryLayout<Action>.stride }

    /// Cost of accepting it, as an approximate number of short actions.
    var cost: Int {
        max(1, actions.count, byteCount / Limits.bytesPerAction) + (requirement == nil ? 0 : Limits.turnCostMax)
    }
}
