public import Reducing

/// Where stars are kept.
public protocol StarTarget: Sendable {
    /// Gives the thing with an id a star or takes it away; doing so again changes nothing.
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure)
}
