/// A command as the log knows it: a name and a version that say how its arguments are read.
public protocol NamedCommand: Sendable, Equatable {
    /// Its name, unique in the app and never reused: `todos.load`.
    var name: String { get }
    /// The version of its arguments' meaning, from 1.
    var version: UInt32 { get }
    /// Its arguments by name, for people and clients.
    var arguments: Value { get }
    /// Whether it is for the client that asked (open a page) and never for the runner.
    var isPresentational: Bool { get }
    /// How the runner runs it.
    var policy: CommandPolicy { get }
    /// Whether it changes something out there, which stays changed when its step is taken back here.
    var leavesTrace: Bool { get }
    /// Whether its arguments may hold a text of the action that asked for it; then that is not redacted while it is open.
    var mayHoldText: Bool { get }

    /// The same work with other arguments, in the form of `arguments`.
    ///
    /// - Throws: what does not fit this version of them.
    func with(arguments: Value) throws(ValueMismatch) -> Self
}

extension NamedCommand {
    /// 1, until the meaning changes.
    public var version: UInt32 { 1 }
    public var arguments: Value { [:] }
    /// Most commands are for the runner.
    public var isPresentational: Bool { false }
    /// Idempotent, at once, beside all others.
    public var policy: CommandPolicy { CommandPolicy() }
    /// Refuses, for commands whose arguments are not read by name.
    public func with(arguments: Value) throws(ValueMismatch) -> Self {
        throw ValueMismatch("", "the arguments of this command can't be changed")
    }
    /// Nobody knows, so it may.
    public var mayHoldText: Bool { true }
    /// Most commands only ask.
    public var leavesTrace: Bool { false }
}

extension Never: NamedCommand {
    /// Never asked: there is no such command.
    public var name: String { "" }
}
