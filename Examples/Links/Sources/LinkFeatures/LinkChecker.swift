import Chronicle
import Foundation
import FoundationNetworking

/// Requests the addresses of links.
public struct LinkChecker: CommandTarget {
    public init() {}
    /// Makes one attempt, and requests nothing for a link that was removed, whose input is null.
    public func perform(_ command: LinkApp.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> LinkApp.Action? {
        guard case .links(.check(let id, _)) = command, case .text(let text) = ticket.input else { return nil }
        guard let url = URL(string: text) else { throw CommandFailure("“\(text)” is no web address", isPermanent: true) }
        do {
            let (_, response) = try await URLSession.shared.data(from: url)
            return .links(.checked(id, status: (response as? HTTPURLResponse)?.statusCode ?? 0))
        } catch {
            throw CommandFailure("\(text) does not answer: \(error.localizedDescription)")
        }
    }
}
