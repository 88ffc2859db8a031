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

@Suite struct AppStateTests {
    private func names(of record: Value?) -> [String] {
        if case .record(let fields) = record { fields.map(\.name) } else { [] }
    }

    @Test func `a store starts with any given state`() throws {
        let state = try App.State([
            "repositories": [
                "language": "C", "items": [["id": 3, "fullName": "torvalds/linux", "stars": 180_000]], "isLive": true,
            ],
            "flows": ["items": [["id": 1, "kind": "welcome", "options": ["repositories", "posts"]]]], "counter": ["count": -3],
        ])
        #expect(App.view(of: state)["repositories"]?["title"] == "C")
        let store = appStore(state)
        store.send(.counter(.decrement)) { $0.counter.count = -4 }
        store.send(.flows(.cancel(1)), logging: [.flows(.ended(1, result: nil))]) { $0.flows = .init(items: [], nextID: 2) }
        store.finish()
    }

    @Test func `omitted parts of a state have their default values`() throws {
        #expect(try App.State([:]) == App.State())
        #expect(try App.State(["repositories": [:], "flows": .null]) == App.State())
        #expect(throws: ValueMismatch("flows.items[0].id", "this field is missing")) {
            try App.State(["flows": ["items": [["kind": "welcome"]]]])
        }
        #expect(throws: ValueMismatch("weather", "there is no such field")) { try App.State(["weather": [:]]) }
    }

    @Test func `derived values are not stored`() {
        let state = App.State()
        #expect(names(of: state.value["todos"]) == ["items", "draft", "loading", "nextID"])
        #expect(names(of: state.value["posts"]) == ["items", "nextPage", "loading", "nextID"])
        #expect(names(of: state.value["alerts"]) == ["items", "nextID"])
        #expect(names(of: state.value["repositories"]) == ["language", "languages", "items", "loading", "isLive"])
        #expect(names(of: state.value["flows"]) == ["items", "nextID"])
        #expect(names(of: state.value["views"]) == ["items", "nextID"])
        #expect(names(of: swift.value) == ["id", "fullName", "url", "stars"])
    }

    @Test func `a copy of a state is independent of later changes`() {
        let actions = CompositionTests.script
        var state = App.State()
        for action in actions {
            let copy = state
            let bytes = copy.canonicalBytes
            _ = App.reduce(&state, action, .test)
            #expect(copy.canonicalBytes == bytes)
            #expect(App.changedScopes(from: copy, to: copy).isEmpty)
        }
    }

    @Test func `the changes of a dispatch are described by fields for every feature`() {
        var state = App.State()
        var seen: ScopeSet = []
        for action in CompositionTests.script {
            let before = state
            _ = App.reduce(&state, action, .test)
            let changed = App.changedScopes(from: before, to: state)
            #expect(changed == state.differences(from: before), "\(action)")
            seen.formUnion(changed)
        }
        for (index, scope) in App.scopes.enumerated() where !scope.contains(".") {
            #expect(!seen.isDisjoint(with: ScopeSet(index: index)), "the script changes nothing of \(scope)")
        }
    }

    @Test func `the size of a state is the sum of its growth`() {
        var app = RandomApp(7)
        var bytes = 0
        var (grown, shrunk) = (0, 0)
        for _ in 0..<Sanitizer.share(of: 400) {
            let before = app.state
            app.step()
            let growth = App.growth(from: before, to: app.state)
            #expect(growth == app.state.growth(since: before))
            bytes += growth
            (grown, shrunk) = (grown + (growth > 0 ? 1 : 0), shrunk + (growth < 0 ? 1 : 0))
        }
        #expect(bytes == App.growth(from: nil, to: app.state) && grown > 0 && shrunk > 0)
        // Completing a todo takes no memory.
        let open = App.State(todos: Todos.State(items: [Todo(id: 1, title: "A title that is stored apart")]))
        let done = App.State(todos: Todos.State(items: [Todo(id: 1, title: "A title that is stored apart", completed: 7)]))
        #expect(App.growth(from: open, to: done) == 0)
        let notes = (1...3).map { Todo(id: $0, title: "", note: String(repeating: "n", count: 65_000)) }
        #expect(195_000...198_000 ~= App.growth(from: nil, to: App.State(todos: Todos.State(items: notes))))
    }

    @Test(arguments: [0, 1, 100, 400])
    func `the chunks of a state form its encoding, and none is large`(count: UInt64) {
        let todos = (1..<count + 1).map { Todo(id: $0, title: "Todo \($0)", note: String(repeating: "n", count: 65_000)) }
        let state = App.State(todos: Todos.State(items: todos), alerts: Alerts.State())
        var bytes: [UInt8] = []
        var largest = 0
        state.forEachPiece { piece in
            bytes += piece
            largest = max(largest, piece.count)
        }
        #expect(bytes == state.canonicalBytes)
        #expect(largest < 10 << 20)
    }

    @Test func `the scopes of an action name fields of each feature`() {
        let expected: [(action: App.Action, feature: String, fields: [String])] = [
            (.alerts(.dismiss(1)), "alerts", ["items"]),
            (.alerts(.raise("x", id: 1)), "alerts", ["items", "nextID"]),
            (.todos(.remove(1)), "todos", ["items"]),
            (.todos(.updateText("x")), "todos", ["draft"]),
            (.todos(.load), "todos", ["loading"]),
            (.todos(.add([Todo(title: "abc")])), "todos", ["items", "nextID"]),
            (.flows(.cancel(1)), "flows", ["items"]),
            (.views(.change(1, filter: "x")), "views", ["items"]),
            (.views(.remove(1)), "views", ["items", "nextID"]),
            (.views(.save(SavedView(id: 1, name: "x", filter: "+x"))), "views", ["items", "nextID"]),
            (.flows(.start(kind: "x")), "flows", ["items", "nextID"]),
            (.repositories(.open(1)), "repositories", ["items"]),
            (.repositories(.loadLanguages), "repositories", ["languages"]),
            (.repositories(.loadFailed(language: "C", reason: "x")), "repositories", ["loading"]),
            (.repositories(.setLanguage("C")), "repositories", ["language", "loading"]),
            (.repositories(.reload), "repositories", ["loading", "isLive"]),
            (.posts(.fetch), "posts", ["loading"]),
            (.posts(.set([], nextPage: 2)), "posts", ["items", "nextPage", "loading", "nextID"]),
        ]
        for (action, feature, fields) in expected {
            let names = [feature] + fields.map { "\(feature).\($0)" }
            let scopes = App.scopes.indices.filter { names.contains(App.scopes[$0]) }.map { ScopeSet(index: $0) }
            #expect(scopes.count == names.count && App.scopes(of: action) == ScopeSet(scopes), "\(action)")
        }
    }

    @Test func `states are equal if all slices are equal`() {
        var state = App.State()
        let begin = state
        for action in CompositionTests.script { _ = App.reduce(&state, action, .test) }
        #expect(state != begin)
        var back = state
        back.repositories = .init()
        #expect(back != state && back.flows == state.flows)
        let rebuilt = App.State(
            todos: state.todos, counter: state.counter, alerts: state.alerts, posts: state.posts, stars: state.stars,
            repositories: state.repositories, flows: state.flows, views: state.views)
        #expect(rebuilt == state)
        #expect(App.changedScopes(from: rebuilt, to: state).isEmpty)
        #expect(App.changes(from: rebuilt, to: state, limit: 0) == [])
        #expect(App.State(repositories: .init()) == App.State())
    }

    @Test func `a dump of a state names its features`() {
        let labels = Mirror(reflecting: App.State()).children.map(\.label)
        #expect(labels == ["todos", "counter", "alerts", "posts", "stars", "repositories", "flows", "views"])
    }
}
