import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import Fields
import TestSupport
import Testing

@Suite struct CompositionTests {
    /// What all features do in a while, as it would be logged.
    static let script: [App.Action] = [
        .counter(.increment), .todos(.add([Todo(id: 1, title: "abc", created: 5)])), .repositories(.reload),
        .flows(.started(Flow(id: 1, kind: "language", options: ["C"]))), .stars(.staring("apple/swift")), .posts(.fetch),
        .repositories(.loaded(language: "Swift", [swift, vapor])),
        .posts(.set([Post(id: 1, key: "k", title: "News")], nextPage: 2)),
        .alerts(.raise("caf\u{E9} closed", id: 1)), .todos(.complete(1, at: 3)), .stars(.starred("apple/swift")),
        .flows(.ended(1, result: "C")), .repositories(.setLanguage("C")), .counter(.increment), .todos(.load),
        .views(.save(SavedView(id: 1, name: "work", filter: "+work is:open"))),
    ]

    private func folded(_ actions: [App.Action], _ state: App.State = .init()) -> App.State {
        actions.reduce(into: state) { state, action in _ = App.reduce(&state, action, .test) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `independent reducers may be asked in any order`(seed: UInt64) {
        var reducers: [@Sendable (inout App.State, App.Action) -> Void] = [
            { state, action in _ = App.todos.reduce(&state, action, .test) },
            { state, action in _ = App.counter.reduce(&state, action, .test) },
            { state, action in _ = App.alerts.reduce(&state, action, .test) },
            { state, action in _ = App.posts.reduce(&state, action, .test) },
            { state, action in _ = App.stars.reduce(&state, action, .test) },
            { state, action in _ = App.repositories.reduce(&state, action, .test) },
            { state, action in _ = App.flows.reduce(&state, action, .test) },
            { state, action in _ = App.views.reduce(&state, action, .test) },
        ]
        var random = SeededGenerator(seed)
        reducers.shuffle(using: &random)
        var state = App.State()
        for action in Self.script {
            for reducer in reducers { reducer(&state, action) }
        }
        #expect(state == folded(Self.script))
    }

    @Test func `every type of the app is read back as it was written`() throws { try App.checkCodings() }

    @Test func `a feature that does not know an action leaves its slice as it was`() {
        let before = folded(Self.script)
        for action in Self.script {
            var state = before
            _ = App.reduce(&state, action, .test)
            let changed = [
                state.todos != before.todos, state.counter != before.counter, state.alerts != before.alerts,
                state.posts != before.posts, state.stars != before.stars, state.repositories != before.repositories,
                state.flows != before.flows, state.views != before.views,
            ]
            #expect(changed.count { $0 } <= 1)
            #expect(App.todos.reduce(&state, .counter(.reset), .test) == nil)
            #expect(App.flows.reduce(&state, .repositories(.reload), .test) == nil)
        }
    }

    @Test func `an action is put in and taken out through its feature's case, and no other's`() throws {
        for action in Self.script {
            let hits = [
                App.todos.scope.extract(action).map(App.todos.scope.embed),
                App.counter.scope.extract(action).map(App.counter.scope.embed),
                App.alerts.scope.extract(action).map(App.alerts.scope.embed),
                App.posts.scope.extract(action).map(App.posts.scope.embed),
                App.stars.scope.extract(action).map(App.stars.scope.embed),
                App.repositories.scope.extract(action).map(App.repositories.scope.embed),
                App.flows.scope.extract(action).map(App.flows.scope.embed),
                App.views.scope.extract(action).map(App.views.scope.embed),
            ]
            #expect(hits.compactMap { $0 } == [action])
        }
    }

    @Test func `an action marks its own feature's scopes, and its change lies within them`() {
        var state = App.State()
        for action in Self.script {
            let before = state
            _ = App.reduce(&state, action, .test)
            let changed = App.changedScopes(from: before, to: state)
            #expect(changed.isSubset(of: App.scopes(of: action)))
            #expect(!App.scopes(of: action).isEmpty)
        }
        #expect(App.scopes.count <= 64)
        #expect(Set(App.scopes).count == App.scopes.count)
    }

    @Test func `every slice is the feature's own state, and there is no second copy of it`() {
        var state = folded(Self.script)
        state.counter.count = 7
        #expect(App.counter.scope.state(state) == Counter.State(count: 7))
        App.repositories.scope.modify(&state) { $0.loading = true }
        #expect(state.repositories.loading)
        #expect(App.summary(of: state)["repositories"]?["loading"] == true)
    }

    @Test func `commands carry their feature's name, and never its neighbour's group`() throws {
        let commands: [App.Command] = [
            .todos(.load), .posts(.fetch(page: 2, into: .append)), .stars(.star("a")), .stars(.unstar("a")),
            .repositories(.fetch(language: "C#")), .repositories(.languages), .repositories(.show(url: "https://a.b")),
            .repositories(.cancelLanguages),
        ]
        #expect(
            commands.map(\.name) == [
                "todos.load", "posts.fetch", "stars.star", "stars.unstar", "repositories.fetch", "repositories.languages",
                "repositories.show", "repositories.cancelLanguages",
            ])
        #expect(
            commands.map(\.policy.cancelID) == [
                "todos.load", "posts.fetch", nil, nil, "repositories.fetch", "repositories.languages", nil,
                "repositories.languages",
            ])
        #expect(commands[2].policy.group == "stars.a" && commands[3].policy.group == "stars.a")
        #expect(commands.map(\.isPresentational) == [false, false, false, false, false, false, true, false])
        #expect(commands.filter(\.policy.isCancellation).map(\.name) == ["repositories.cancelLanguages"])
        #expect(commands[1].arguments == ["page": 2, "into": "append"] && commands[4].arguments == ["language": "C#"])
        for command in commands {
            #expect(command.version == 1)
            #expect(try App.Command(canonical: command.canonicalBytes) == command)
        }
        #expect(commands[4].canonicalBytes == [25, 6, 5, 4, 5, 2, 0x43, 0x23])
        for bytes in [[], [9, 2, 5, 0], [5, 0], [5, 2, 5, 0, 5, 2, 5, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try App.Command(canonical: bytes) }
        }
    }

    @Test func `only actions that ask for something return commands`() {
        var state = App.State()
        var names: [String] = []
        for action in Self.script { names += App.reduce(&state, action, .test).map(\.name) }
        #expect(names == ["repositories.fetch", "stars.star", "posts.fetch", "repositories.fetch", "todos.load"])
    }

    @Test func `actions and states of all features are read back from their values and their bytes`() throws {
        var state = App.State()
        for action in Self.script {
            #expect(try App.Action(action.value) == action)
            #expect(try App.Action(canonical: action.canonicalBytes) == action)
            _ = App.reduce(&state, action, .test)
            #expect(try App.State(canonical: state.canonicalBytes) == state)
            #expect(try App.State(state.value) == state)
        }
    }

    /// FNV-1a with 64 bits.
    private func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    @Test func `a fixed script of all features always leads to the same bytes`() {
        // Before there were views: what features are added leaves that as it was.
        let script = Self.script.filter { if case .views = $0 { false } else { true } }
        #expect(digest(script.flatMap(\.canonicalBytes)) == 10_602_047_217_361_790_630)
        #expect(digest(folded(script).canonicalBytes) == 4_593_434_602_717_914_015)
        let view: [UInt8] = [4, 1, 9, 4] + Array("work".utf8) + [13, 13] + Array("+work is:open".utf8)
        #expect(Self.script.last?.canonicalBytes == [33, 25, 5, 23] + view)
        #expect(folded(Self.script).canonicalBytes == folded(script).canonicalBytes + [33, 27, 5, 23] + view + [8, 1])
    }

    @Test func `a log that never used a new feature keeps the digest it always had`() {
        let old = folded(Self.script.filter(isOld))
        #expect(old.canonicalBytes == [5, 15, 5, 11, 4, 1, 9, 3, 97, 98, 99, 28, 10, 32, 6, 16, 1, 9, 2, 4, 4])
    }

    private func isOld(_ action: App.Action) -> Bool {
        switch action {
        case .todos(.load): false
        case .todos, .counter: true
        default: false
        }
    }
}
