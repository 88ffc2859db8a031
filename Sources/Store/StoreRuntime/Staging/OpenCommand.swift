public import Records
public import Reducing

/// A command that was asked for and has not ended.
public struct OpenCommand<Command: NamedCommand>: Sendable {
    /// What the log keeps of it: stage, attempts, due time, reason, step, origin.
    public var row: OutboxRow
    /// The command; `nil` if this version can't read it, and then it is run by none and can only be skipped.
    public var command: Command?

    /// Its name for ever.
    public var id: CommandID { row.id }
}
