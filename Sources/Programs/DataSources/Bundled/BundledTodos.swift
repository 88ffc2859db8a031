import Chronicle

/// The sample that is loaded when nothing else is configured.
struct BundledTodos: TodoSource {
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try ticket.pause(.seconds(2))
        return ["Buy the milk", "Take my dog", "Rent a car"]
    }
}

/// Accepts every star and keeps none.
struct BundledStars: StarTarget {
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
        try ticket.pause(.seconds(1))
    }
}

extension CommandTicket {
    /// Puts the command off once, as if a bundled source took that long; nothing sleeps, and a restart waits for the rest only.
    func pause(_ duration: Duration) throws(CommandFailure) {
        if waits == 0 { throw .later(duration) }
    }
}
