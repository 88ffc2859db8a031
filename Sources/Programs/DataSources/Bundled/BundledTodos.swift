import Chronicle

/// Sample todos, used if no other source is configured.
struct BundledTodos: TodoSource {
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try ticket.pause(.seconds(2))
        return ["Buy the milk", "Take my dog", "Rent a car"]
    }
}

struct BundledStars: StarTarget {
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
        try ticket.pause(.seconds(1))
    }
}

extension CommandTicket {
    /// Postpones the command once, as if the bundled source took that long.
    ///
    /// Nothing sleeps, and a restart waits for the rest only.
    func pause(_ duration: Duration) throws(CommandFailure) {
        if waits == 0 { throw .later(duration) }
    }
}
