public import Chronicle
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
