import Chronicle
import DataSources
import FeaturePosts
import FeatureRepositories
import Testing

@Suite(.timeLimit(.minutes(15))) struct `What comes with the program` {
    let ticket = CommandTicket(id: "1", attempt: 1)
    let later = CommandTicket(id: "1", attempt: 1, waits: 1)

    @Test func `three todos are returned after two seconds and not before`() async throws {
        await #expect(throws: CommandFailure.later(.seconds(2))) { try await Sources().todos.titles(ticket) }
        #expect(try await Sources().todos.titles(later) == ["Buy the milk", "Take my dog", "Rent a car"])
    }

    @Test func `a star, a page and a list take a second`() async throws {
        let sources = Sources()
        let second = CommandFailure.later(.seconds(1))
        await #expect(throws: second) { try await sources.stars.set("x", starred: true, ticket) }
        await #expect(throws: second) { try await sources.posts.page(1, ticket) }
        await #expect(throws: second) { try await sources.repositories.mostStarred("C", ticket) }
        try await sources.stars.set("x", starred: true, later)
    }

    @Test func `there are three pages of ten posts, and reading all returns each post once`() async throws {
        let source = Sources().posts
        var posts: [Post] = []
        var next: Int64 = 1
        var pages = 0
        while next != 0 {
            let page = try await source.page(next, later)
            #expect(page.posts.count == 10)
            posts += page.posts
            next = page.nextPage
            pages += 1
        }
        #expect(pages == 3)
        #expect(Set(posts.map(\.key)).count == 26)
        #expect(posts[8...9].map(\.key) == posts[10...11].map(\.key))
        #expect(posts.allSatisfy { !$0.title.isEmpty && $0.link.hasPrefix("https://") && $0.id == 0 && $0.published > 0 })
        #expect(try await source.page(4, later) == PostPage(posts: [], nextPage: 0))
        #expect(try await source.page(0, later) == PostPage(posts: [], nextPage: 0))
    }

    @Test func `repositories of every language are listed, the most starred first`() async throws {
        let source = Sources().repositories
        var ids: Set<UInt64> = []
        for language in Repositories.State.initialLanguages {
            let items = try await source.mostStarred(language, later)
            #expect(items.count >= 5, "\(language)")
            #expect(items.map(\.stars) == items.map(\.stars).sorted(by: >), "\(language)")
            #expect(items.allSatisfy { ids.insert($0.id).inserted })
        }
        #expect(try await source.mostStarred("COBOL", later).isEmpty)
        let objectiveC = try await source.mostStarred("Objective-C", later)
        #expect(objectiveC.contains { $0.description.isEmpty })
    }
}
