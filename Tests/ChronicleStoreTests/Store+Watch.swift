@testable import ChronicleStore

extension Store {
    /// Subscribes like a subscriber that is never up to date and therefore never a member of an audience.
    nonisolated func watch(_ watched: Watched, deliver: (StateItem<App>) async throws -> Void) async throws {
        var last = try await deliverAll(watched, deliver)
        while true {
            var now = last
            while !now.isNews(to: last, in: watched.scope) {
                guard let next = await publisher.next(after: now.sequence, redactions: now.redactions) else {
                    throw StoreError.stopping
                }
                now = next
            }
            last = try await deliverNews(since: last, watched, deliver) { try await deliverAll(watched, deliver) }
        }
    }

    /// Delivers the current state in pages.
    nonisolated func deliverAll(
        _ watched: Watched, _ deliver: (StateItem<App>) async throws -> Void
    ) async throws -> CommittedState<App.State> {
        let present = present
        try await StateItem.deliverPages(of: present, watched, on: queries, deliver)
        return present
    }
}
