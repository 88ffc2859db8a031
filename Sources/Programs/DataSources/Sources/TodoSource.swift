public import Reducing

/// Where todos are loaded from.
public protocol TodoSource: Sendable {
    /// The titles, in the order in which they are to stand.
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String]
}
