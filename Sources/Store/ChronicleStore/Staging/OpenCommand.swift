public import Chronicle
public import ChronicleLog

/// A command that was requested and has not ended.
public struct OpenCommand<Command: NamedCommand>: Sendable {
    /// The stored row: stage, attempts, due time, reason, step, origin.
    public var row: OutboxRow
    /// The command; `nil` if this version can't read it: it is then never run and can only be skipped.
    public var command: Command?

    /// The command's permanent id.
    public var id: CommandID { row.id }
}
