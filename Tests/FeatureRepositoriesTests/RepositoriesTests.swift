import Chronicle
import ChronicleTesting
import FeatureRepositories
import TestSupport
import Testing

@Suite struct RepositoriesTests {
    private func store(_ state: Repositories.State = .init()) -> TestStore<Repositories> {
        TestStore(state, of: Repositories.self)
    }

    @Test func `the default language is Swift, and there are seven default languages`() {
        let state = Repositories.State()
        #expect(state.language == "Swift")
        #expect(state.languages == ["Swift", "Objective-C", "Java", "C", "C++", "Python", "C#"])
        #expect(state.items.isEmpty && !state.loading && !state.isLive)
    }

    @Test func `a reload requests the current language, and its result replaces the list`() {
        let store = store(Repositories.State(items: [linux]))
        store.send(.reload) {
            $0.isLive = true
            $0.loading = true
        }
        store.expect(.fetch(language: "Swift"))
        store.receive(.loaded(language: "Swift", [vapor, swift])) {
            $0.items = Repositories.State(items: [vapor, swift]).items
            $0.loading = false
        }
        #expect(store.state.items.elements.map(\.fullName) == ["vapor/vapor", "swiftlang/swift"])
        store.finish()
    }

    @Test func `every reload makes a request`() {
        let store = store(loadedState)
        for _ in 1...3 {
            store.exhaustivity = .off
            store.send(.reload)
            store.expect(.fetch(language: "Swift"))
            store.receive(.loaded(language: "Swift", [swift]))
        }
        store.finish()
    }

    @Test func `changing the language makes a request only after the first reload`() {
        let store = store()
        store.send(.setLanguage("C")) { $0.language = "C" }
        store.expectNoCommands()
        store.send(.reload) {
            $0.isLive = true
            $0.loading = true
        }
        store.expect(.fetch(language: "C"))
        store.receive(.loaded(language: "C", [linux])) {
            $0.items = Repositories.State(items: [linux]).items
            $0.loading = false
        }
        store.send(.setLanguage("Swift")) {
            $0.language = "Swift"
            $0.loading = true
        }
        store.expect(.fetch(language: "Swift"))
        store.receive(.loaded(language: "Swift", [])) {
            $0.items = .init()
            $0.loading = false
        }
        store.finish()
    }

    @Test func `browsing a language shows its list, even before the first reload`() {
        let fresh = store()
        fresh.send(.browse("Java"), logging: [.setLanguage("Java"), .reload]) {
            $0.language = "Java"
            $0.isLive = true
            $0.loading = true
        }
        fresh.expect(.fetch(language: "Java"))
        fresh.close(.fetch(language: "Java"))
        fresh.finish()
        let live = store(loadedState)
        live.send(.browse("Java"), logging: [.setLanguage("Java")]) {
            $0.language = "Java"
            $0.loading = true
        }
        live.expect(.fetch(language: "Java"))
        live.close(.fetch(language: "Java"))
        live.finish()
    }

    @Test(arguments: ["Cobol", "", "swift", "Swift "])
    func `an unknown language is refused`(name: String) {
        #expect(refusal(of: .setLanguage(name), in: .init()) == "UnknownLanguage")
        #expect(refusal(of: .browse(name), in: .init()) == "UnknownLanguage")
    }

    @Test func `languages are compared by their bytes`() {
        let state = Repositories.State(language: "Swift", languages: ["caf\u{E9}"])
        #expect(refusal(of: .setLanguage("caf\u{E9}"), in: state) == nil)
        #expect(refusal(of: .setLanguage("cafe\u{301}"), in: state) == "UnknownLanguage")
    }

    @Test func `the latest language wins for any order of the results`() throws {
        let store = store(loadedState)
        store.send(.setLanguage("Java")) {
            $0.language = "Java"
            $0.loading = true
        }
        store.send(.setLanguage("C")) { $0.language = "C" }
        store.expect(.fetch(language: "Java"), .fetch(language: "C"))
        let late = try Repositories.prepare(.loaded(language: "Java", [vapor]), store.state, .test)
        #expect(late == [])
        store.receive(.loaded(language: "C", [linux]), answering: .fetch(language: "C")) {
            $0.items = Repositories.State(items: [linux]).items
            $0.loading = false
        }
        store.finish()
    }

    @Test func `a late failure for another language is ignored`() throws {
        #expect(try Repositories.prepare(.loadFailed(language: "Java", reason: "late"), loadedState, .test) == [])
        var state = Repositories.State(loading: true)
        #expect(Repositories.reduce(&state, .loadFailed(language: "Java", reason: "late"), .test).isEmpty)
        #expect(state.loading)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `after fifty changes of the language, the last one wins for any order of the results`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed)
        var state = loadedState
        var open: [String] = []
        func answerOne() throws {
            guard !open.isEmpty else { return }
            let name = open.remove(at: random.number(0..<open.count))
            let items = [Repository(id: UInt64(name.utf8.count), fullName: name)]
            for logged in try Repositories.prepare(.loaded(language: name, items), state, .test) {
                #expect(Repositories.reduce(&state, logged, .test).isEmpty)
            }
        }
        for _ in 0..<50 {
            let name = state.languages[random.number(0..<state.languages.count)]
            for command in Repositories.reduce(&state, .setLanguage(name), .test) {
                guard case .fetch(let name) = command else { continue }
                open.append(name)
            }
            if random.number(0..<2) == 0 { try answerOne() }
        }
        while !open.isEmpty { try answerOne() }
        #expect(state.items.elements.map(\.fullName) == [state.language])
        #expect(!state.loading)
    }

    @Test func `a new request supersedes the previous one`() {
        let fetch = Repositories.Command.fetch(language: "C")
        #expect(fetch.policy.cancelID == "fetch" && Repositories.Command.fetch(language: "Java").policy.cancelID == "fetch")
        #expect(Repositories.Command.languages.policy.cancelID == "languages")
        #expect(!fetch.policy.isCancellation && fetch.policy.isIdempotent)
        #expect(Repositories.ended(fetch, .superseded) == nil)
    }

    @Test func `a failure keeps the list, and the next reload works`() {
        let store = store(loadedState)
        store.send(.reload) { $0.loading = true }
        store.expect(.fetch(language: "Swift"))
        store.receive(.loadFailed(language: "Swift", reason: "no network")) { $0.loading = false }
        store.send(.reload) { $0.loading = true }
        store.expect(.fetch(language: "Swift"))
        store.receive(.loaded(language: "Swift", [linux])) {
            $0.items = Repositories.State(items: [linux]).items
            $0.loading = false
        }
        store.finish()
    }

    @Test func `every end of a request stops loading and reports why, unless loading continues`() {
        let fetch = Repositories.Command.fetch(language: "Swift")
        for (end, reason) in [
            (.failed("no network"), "no network"), (.skipped, "the request was skipped"),
            (.cancelled, "the request was cancelled"),
        ] as [(CommandEnd, String)] {
            #expect(Repositories.ended(fetch, end) == .loadFailed(language: "Swift", reason: reason))
            #expect(Repositories.ended(.languages, end) == .languagesFailed(reason: reason))
            #expect(Repositories.ended(.show(url: "https://a.b"), end) == nil)
        }
        for end in [.superseded, .parked("uncertain")] as [CommandEnd] {
            #expect(Repositories.ended(fetch, end) == nil && Repositories.ended(.languages, end) == nil)
        }
    }

    @Test func `opening a repository shows its page and changes nothing`() {
        let store = store(loadedState)
        store.send(.open(vapor.id))
        store.expect(.show(url: "https://github.com/vapor/vapor"))
        store.send(.openAt(index: 0), logging: [.open(swift.id)])
        store.expect(.show(url: "https://github.com/swiftlang/swift"))
        #expect(Repositories.Command.show(url: "").isPresentational)
        #expect(!Repositories.Command.languages.isPresentational && !Repositories.Command.fetch(language: "C").isPresentational)
        store.refuse(.open(5), name: "UnknownID")
        store.refuse(.openAt(index: 3), name: "UnknownIndex")
        store.refuse(.openAt(index: -1), name: "UnknownIndex")
        store.refuse(.open(grdb.id), name: "NoPage")
        store.finish()
        #expect(Repositories.indexedScope(of: .openAt(index: 0)) == ScopeSet(index: 2))
        #expect(Repositories.indexedScope(of: .open(1)).isEmpty)
    }

    @Test func `the languages come from the data source`() {
        let store = store()
        store.send(.loadLanguages)
        store.expect(.languages)
        store.receive(.languagesLoaded(["Rust", "Swift", "Rust", ""]), logging: [.languagesLoaded(["Rust", "Swift"])]) {
            $0.languages = ["Rust", "Swift"]
        }
        store.send(.setLanguage("Rust")) { $0.language = "Rust" }
        store.refuse(.setLanguage("Java"), name: "UnknownLanguage")
        store.send(.loadLanguages)
        store.expect(.languages)
        store.receive(.languagesLoaded(["Rust", "Swift"]), logging: [])
        store.send(.loadLanguages)
        store.expect(.languages)
        store.receive(.languagesFailed(reason: "no network"))
        store.send(.loadLanguages)
        store.expect(.languages)
        store.receive(.languagesLoaded([]), logging: [])
        store.finish()
    }
}
