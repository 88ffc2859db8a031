public import Chronicle

extension Stars.Action {
    public var id: String {
        switch self {
        case .press(let id), .staring(let id), .unstaring(let id), .starred(let id), .unstarred(let id), .failed(let id, _): id
        }
    }
}

extension Stars.Command {
    public var id: String {
        switch self {
        case .star(let id), .unstar(let id): id
        }
    }

    /// The requests of one button run in order.
    public var policy: CommandPolicy { CommandPolicy(group: id) }

    /// A star has an effect outside the app.
    public var leavesTrace: Bool { true }
}

extension Stars {
    /// The failure, which restores the previous phase; nil for a parked command.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch end {
        case .failed(let reason): .failed(command.id, reason: reason)
        case .skipped: .failed(command.id, reason: "it was skipped")
        case .cancelled, .superseded: .failed(command.id, reason: "it was cancelled")
        // The request is still pending.
        case .parked: nil
        }
    }
}
