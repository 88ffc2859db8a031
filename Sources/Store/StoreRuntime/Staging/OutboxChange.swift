public import Records
public import Reducing

/// What a flush changed about the open commands.
public enum OutboxChange<Command: NamedCommand>: Sendable {
    /// It was asked for or changed, and stands like this now.
    case open(OpenCommand<Command>)
    /// It has ended.
    case closed(CommandID)
    /// Commands of records up to here are held; 0: none.
    case held(through: UInt64)
}

/// Is told after each flush that changed the open commands, on the store's thread: it must not block.
public typealias CommandListener<Command: NamedCommand> = @Sendable ([OutboxChange<Command>]) -> Void
