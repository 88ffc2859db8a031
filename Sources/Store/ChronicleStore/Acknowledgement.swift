public import Chronicle

/// The answer to a dispatch whose records are on disk.
public struct Acknowledgement<Command: Sendable>: Sendable {
    /// The epoch of the log.
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

    typealias Rest = @Sendable () async throws(StoreError) -> Acknowledgement

    /// Whether `Store.complete` has nothing to add.
    public var isWhole: Bool { rest == nil }
}
