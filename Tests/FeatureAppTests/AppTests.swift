import Chronicle
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import Testing

@Suite struct AppTests {
    func bit(_ name: String) throws -> ScopeSet { ScopeSet(index: try #require(App.scopes.firstIndex(of: name))) }

    func dispatch(_ action: App.Action, _ state: inout App.State) throws {
        for logged in try App.prepare(action, state, .test) {
            #expect(App.reduce(&state, logged, .test).isEmpty)
        }
    }

    func names(of record: Value) -> [String] {
        if case .record(let fields) = record { fields.map(\.name) } else { [] }
    }

    @Test func `the scopes are the features, each followed by its fields`() {
        #expect(
            App.scopes == [
                "todos", "todos.items", "todos.draft", "todos.loading", "todos.nextID", "counter", "counter.count", "alerts",
                "alerts.items", "alerts.nextID", "posts", "posts.items", "posts.nextPage", "posts.loading", "posts.nextID",
                "stars",
                "stars.items", "repositories", "repositories.language", "repositories.languages", "repositories.items",
                "repositories.loading", "repositories.isLive", "flows", "flows.items", "flows.nextID",
                "flows.timedOut", "views", "views.items", "views.nextID",
            ])
    }

    @Test func `an action changes its feature and no other`() throws {
        var state = App.State()
        try dispatch(.counter(.increment), &state)
        #expect(state == App.State(counter: .init(count: 1)))
        try dispatch(.todos(.add([Todo(title: "Buy the milk")])), &state)
        #expect(state.counter.count == 1)
        #expect(App.view(of: state)["todos"]?["title"] == "TODO - (1)")
        #expect(App.created(by: .todos(.add([Todo(id: 4, title: "four")]))) == [4])
        #expect(App.created(by: .counter(.reset)) == [])
        #expect(App.created(by: .flows(.started(Flow(id: 3, kind: "language")))) == [3])
        #expect(App.created(by: .alerts(.raise("oh", id: 2))) == [2])
        #expect(App.created(by: .views(.save(SavedView(id: 5, name: "work", filter: "+work")))) == [5])
    }

    @Test func `the manual decoder accepts exactly the encoding of the cases`() throws {
        let actions: [App.Action] = [
            .todos(.submit), .counter(.reset), .alerts(.dismissAll), .posts(.fetch), .stars(.press("a/b")),
            .repositories(.reload), .flows(.cancel(1)), .views(.remove(1)),
        ]
        for number in 1...App.Action.numberMax {
            let action = actions.first { App.Action.defaultInstance(number)?.caseName == $0.caseName }
            #expect((action == nil) == (App.Action.defaultInstance(number) == nil), "a case without a sample: \(number)")
            var writer = CanonicalWriter()
            if let action {
                let bytes = action.canonicalBytes
                #expect(bytes.first == UInt8(number) << 2 | 1)
                #expect(try App.Action(canonical: bytes) == action)
                #expect(throws: CanonicalError.self) { try App.Action(canonical: bytes + bytes) }
            }
            // A message with an unknown or missing case.
            writer.message(number) { _ in }
            #expect(throws: CanonicalError.self) { try App.Action(canonical: writer.bytes) }
        }
        #expect(throws: CanonicalError.self) { try App.Action(canonical: [UInt8]()) }
    }

    @Test func `a refusal of a feature is a refusal of the app`() {
        #expect(throws: Todos.refusal(.unknownID, "there is no todo 5")) {
            try App.prepare(.todos(.remove(5)), App.State(), .test)
        }
    }

    @Test func `a change of one slice does not change another slice`() throws {
        var state = App.State()
        try dispatch(.todos(.add([Todo(title: "Buy the milk")])), &state)
        let before = state
        try dispatch(.counter(.increment), &state)
        #expect(App.changedScopes(from: before, to: state) == [try bit("counter"), try bit("counter.count")])
        let counted = state
        try dispatch(.todos(.updateText("abc")), &state)
        #expect(App.changedScopes(from: counted, to: state) == [try bit("todos"), try bit("todos.draft")])
        #expect(App.changedScopes(from: state, to: state).isEmpty)
    }

    @Test func `an action belongs to its feature even if it changes nothing`() throws {
        #expect(App.scopes(of: .counter(.reset)) == [try bit("counter"), try bit("counter.count")])
        #expect(App.scopes(of: .todos(.updateText("x"))) == [try bit("todos"), try bit("todos.draft")])
        #expect(App.indexedScope(of: .todos(.removeAt(index: 0))) == (try bit("todos.items")))
        #expect(App.indexedScope(of: .todos(.remove(1))).isEmpty)
        #expect(App.scopes(of: .flows(.cancel(1))) == [try bit("flows"), try bit("flows.items")])
        #expect(App.indexedScope(of: .repositories(.openAt(index: 0))) == (try bit("repositories.items")))
    }

    @Test func `changes carry the path from the root, and share one limit`() throws {
        let old = App.State()
        var new = App.State()
        try dispatch(.counter(.increment), &new)
        try dispatch(.todos(.add([Todo(title: "Buy the milk")])), &new)
        let changes = try #require(App.changes(from: old, to: new, limit: 3))
        #expect(changes.map(\.path) == ["todos.items", "todos", "counter"])
        #expect(changes.map(\.kind) == [.insert, .set, .set])
        #expect(App.changes(from: old, to: new, limit: 2) == nil)
    }

    @Test func `summary, lists and view contain those of the features under their names`() throws {
        var state = App.State()
        try dispatch(.todos(.add([Todo(title: "Buy the milk")])), &state)
        #expect(App.summary(of: state)["todos"] == ["items": [], "draft": "", "loading": false, "nextID": 2])
        #expect(App.summary(of: state)["counter"] == ["count": 0])
        #expect(App.summary(of: state)["flows"] == ["items": [], "nextID": 1])
        for value in [App.summary(of: state), App.view(of: state), state.value] {
            #expect(names(of: value) == ["todos", "counter", "alerts", "posts", "stars", "repositories", "flows", "views"])
        }
        #expect(Set(App.lists(of: state).map(\.path)).isSuperset(of: ["todos.items", "repositories.items", "flows.items"]))
        #expect(App.view(of: state)["counter"] == ["count": 0, "sign": "zero"])
        #expect(App.view(of: state)["todos"]?["title"] == "TODO - (1)")
    }

    @Test func `actions have one key per level on the wire`() throws {
        let value: Value = ["todos": ["add": ["items": [["title": "Buy the milk"]]]]]
        let action = App.Action.todos(.add([Todo(title: "Buy the milk")]))
        #expect(try App.Action(value) == action)
        #expect(action.value == value)
        #expect(try App.Action(["counter": ["increment": [:]]]) == .counter(.increment))
        #expect(throws: ValueMismatch("weather", "there is no such feature")) { try App.Action(["weather": ["rain": [:]]]) }
        #expect(throws: ValueMismatch("counter.double", "there is no such action")) {
            try App.Action(["counter": ["double": [:]]])
        }
        #expect(throws: ValueMismatch.self) { try App.Action(["counter": ["reset": [:]], "todos": ["submit": [:]]]) }
        #expect(throws: ValueMismatch("todos.remove.id", "an id, a whole number from 1, is expected")) {
            try App.Action(["todos": ["remove": ["id": 1.5]]])
        }
    }

    @Test func `a state decodes from its value and from its bytes`() throws {
        var state = App.State(counter: .init(count: -3))
        try dispatch(.todos(.add([Todo(title: "Buy the milk", note: "two", tags: ["x"]), Todo(title: "Rent a car")])), &state)
        #expect(try App.State(state.value) == state)
        #expect(try App.State(canonical: state.canonicalBytes) == state)
        #expect(try App.State([:]) == App.State())
        #expect(throws: ValueMismatch("counter.counts", "there is no such field")) { try App.State(["counter": ["counts": 1]]) }
    }

    @Test func `an unused feature has an empty encoding`() throws {
        #expect(App.State().canonicalBytes.isEmpty)
        #expect(App.State(counter: .init(count: 1)).canonicalBytes == [9, 2, 4, 2])
        #expect(throws: CanonicalError.self) { try App.State(canonical: [5, 0]) }
        #expect(App.State(repositories: .init(isLive: true)).canonicalBytes == [25, 2, 20, 1])
        for number in 1...8 as ClosedRange<UInt8> {
            #expect(throws: CanonicalError.self) { try App.State(canonical: [number << 2 | 1, 0]) }
        }
        #expect(throws: CanonicalError.self) { try App.State(canonical: [37, 2, 4, 1]) }
    }

    @Test func `an action is encoded as its feature's action, one level down`() throws {
        #expect(App.Action.counter(.increment).canonicalBytes == [9, 2, 5, 0])
        for action in [.counter(.reset), .todos(.submit), .todos(.remove(300))] as [App.Action] {
            #expect(try App.Action(canonical: action.canonicalBytes) == action)
        }
        for bytes in [[], [9, 0], [37, 2, 5, 0], [9, 2, 5, 0, 9, 2, 5, 0], [33, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try App.Action(canonical: bytes) }
        }
    }
}
