public import Reducing

/// The answer to a dispatch whose records are on disk.
public struct Acknowledgement<Command: Sendable>: Sendable {
    /// The epoch of the log.
    public var epoch: UInt64
    /// The batch's own records; empty if its actions were prepared to none.
    public var sequences: Range<UInt64>
    /// The ids that the whole batch handed out, in order.
    public var ids: [UInt64] = []
    /// The ids of what its actions would have made and was there already.
    public var existing: [UInt64] = []
    /// Whether this is the answer to an earlier dispatch with the same key.
    public var isDuplicate = false
    /// The presentational commands of the batch, for the client to carry out.
    public var presentations: [Command] = []
    /// What a dry run would change; `nil` otherwise.
    public var changes: [Change]?
    /// What a dry run would ask the runner for; `nil` otherwise.
    public var commands: [Command]?
    /// What stands for all that a compensation would come to, for a dry run; `nil` otherwise.
    public var outcome: UInt64?
    /// Whether the batch asked for commands that are held until somebody releases them.
    public var areCommandsHeld = false
    /// Finds out what is missing; `nil` when nothing is.
    var rest: Rest?

    typealias Rest = @Sendable () async throws(StoreError) -> Acknowledgement

    /// Whether nothing is missing that `Store.complete` would find out.
    public var isWhole: Bool { rest == nil }
}
