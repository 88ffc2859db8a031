public import Chronicle
public import ChronicleLog

/// A change of the open commands by a flush.
public enum OutboxChange<Command: NamedCommand>: Sendable {
    /// A new or changed command.
    case open(OpenCommand<Command>)
    /// An ended command.
    case closed(CommandID)
    /// Commands of records up to this one are held; 0: none.
    case held(through: UInt64)
}

/// Called on the store's thread after each flush that changed the open commands: must not block.
public typealias CommandListener<Command: NamedCommand> = @Sendable ([OutboxChange<Command>]) -> Void
