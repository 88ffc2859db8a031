public import Chronicle

extension Posts.Command {
    /// A new request supersedes the previous one.
    public var policy: CommandPolicy { CommandPolicy(cancelID: "fetch") }
}

extension Posts {
    /// The failure of a fetch; nil if the command was superseded or parked.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { end.reason.map(Action.failed) }
}
