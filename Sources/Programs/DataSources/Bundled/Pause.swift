import Reducing

/// How long a bundled source pretends to be at work: it puts its command off, so nobody sleeps and a restart waits for the rest.
struct Pause: Sendable {
    let duration: Duration

    /// - Throws: that the command is due later, when it is called for the first time.
    func pass(_ ticket: CommandTicket) throws(CommandFailure) {
        if duration > .zero, ticket.waits == 0 { throw .later(duration) }
    }
}
