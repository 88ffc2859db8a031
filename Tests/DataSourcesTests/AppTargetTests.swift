import Chronicle
import DataSources
import FeatureApp
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Synchronization
import Testing

@Suite struct `The target of the app's commands` {
    let ticket = CommandTicket(id: "1", attempt: 1, waits: 1)
    let target = AppTarget(Sources())

    @Test func `loaded todos are returned as an event`() async throws {
        let fact = try await target.perform(.todos(.load), ticket)
        let titles = ["Buy the milk", "Take my dog", "Rent a car"]
        #expect(fact == .todos(.loaded(titles.map { Todo(title: $0) })))
    }

    @Test func `the first page is returned as a new list, and others are appended`() async throws {
        let source = Sources().posts
        let first = try await source.page(1, ticket)
        let last = try await source.page(3, ticket)
        #expect(try await target.perform(.posts(.fetch(page: 1, into: .set)), ticket) == .posts(.set(first.posts, nextPage: 2)))
        #expect(
            try await target.perform(.posts(.fetch(page: 3, into: .append)), ticket) == .posts(.append(last.posts, nextPage: 0)))
    }

    @Test func `stars are given and removed, with the command's attempt`() async throws {
        let stars = RecordedStars()
        var sources = Sources()
        sources.stars = stars
        let target = AppTarget(sources)
        #expect(try await target.perform(.stars(.star("a/b")), ticket) == .stars(.starred("a/b")))
        #expect(try await target.perform(.stars(.unstar("a/b")), ticket) == .stars(.unstarred("a/b")))
        #expect(stars.calls.withLock { $0 } == ["a/b true 1", "a/b false 1"])
    }

    @Test func `repositories and languages are returned as events`() async throws {
        let swift = try await Sources().repositories.mostStarred("Swift", ticket)
        let fact = try await target.perform(.repositories(.fetch(language: "Swift")), ticket)
        #expect(fact == .repositories(.loaded(language: "Swift", swift)))
        let languages = try await target.perform(.repositories(.languages), ticket)
        #expect(languages == .repositories(.languagesLoaded(Repositories.State.initialLanguages)))
    }

    @Test func `pages are not shown, because that is up to the client`() async throws {
        #expect(try await target.perform(.repositories(.show(url: "https://example.org")), ticket) == nil)
    }

    @Test func `the reason of a failed source is returned`() async throws {
        var sources = Sources()
        sources.todos = TodoFile(path: "/none")
        await #expect(throws: CommandFailure("/none can't be read: no such file or directory.", isPermanent: true)) {
            try await AppTarget(sources).perform(.todos(.load), ticket)
        }
    }
}

/// Records its calls.
private final class RecordedStars: StarTarget {
    let calls = Mutex<[String]>([])

    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
        calls.withLock { $0.append("\(id) \(starred) \(ticket.id)") }
    }
}
