import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import TestSupport
import Testing

@Suite struct CompositionTests {
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
    func `independent reducers can run in any order`(seed: UInt64) {
        func reducer<Child: Feature>(_ child: Embedding<App, Child>) -> (inout App.State, App.Action) -> Void {
            { state, action in
                guard let action = child.scope.extract(action) else { return }
                child.scope.modify(&state) { _ = Child.reduce(&$0, action, .test) }
            }
        }
        var reducers = [
            reducer(App.todos), reducer(App.counter), reducer(App.alerts), reducer(App.posts), reducer(App.stars),
            reducer(App.repositories), reducer(App.flows), reducer(App.views),
        ]
        var random = SeededGenerator(seed)
        reducers.shuffle(using: &random)
        var state = App.State()
        for action in Self.script {
            for reducer in reducers { reducer(&state, action) }
        }
        #expect(state == folded(Self.script))
    }

    @Test func `every type of the app decodes to the encoded value`() throws { try App.checkCodings() }

    @Test func `the change of an action lies within its scopes`() {
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

    @Test func `commands have the name of their feature, and groups of different features do not collide`() throws {
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

    @Test func `only some actions return commands`() {
        var state = App.State()
        var names: [String] = []
        for action in Self.script { names += App.reduce(&state, action, .test).map(\.name) }
        #expect(names == ["repositories.fetch", "stars.star", "posts.fetch", "repositories.fetch", "todos.load"])
    }

    @Test func `the laws of a feature hold for all of them together`() {
        checkLaws(of: App.self, states: Self.script.indices.map { folded(Array(Self.script[...$0])) }, actions: Self.script)
    }

    /// 64-bit FNV-1a.
    @Test func `a fixed script of all features has a stable encoding`() {
        // Without views, which were added later: a new feature must not change the digest.
        let script = Self.script.filter { if case .views = $0 { false } else { true } }
        #expect(digest(script.flatMap(\.canonicalBytes)) == 10_602_047_217_361_790_630)
        #expect(digest(folded(script).canonicalBytes) == 4_593_434_602_717_914_015)
        let view: [UInt8] = [4, 1, 9, 4] + Array("work".utf8) + [13, 13] + Array("+work is:open".utf8)
        #expect(Self.script.last?.canonicalBytes == [33, 25, 5, 23] + view)
        #expect(folded(Self.script).canonicalBytes == folded(script).canonicalBytes + [33, 27, 5, 23] + view + [8, 1])
    }

    @Test func `a new feature does not change the digest of an old log`() {
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
