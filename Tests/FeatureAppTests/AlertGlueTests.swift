import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Testing

@Suite struct AlertGlueTests {
    private static let starring: App.State = {
        var state = App.State()
        _ = App.reduce(&state, .stars(.staring("apple/swift")), .test)
        return state
    }()

    private static let listing: App.State = {
        var state = App.State()
        _ = App.reduce(&state, .todos(.add([Todo(id: 1, title: "Call the bank")])), .test)
        return state
    }()

    static let failures: [(App.Action, App.State, String)] = [
        (.todos(.loadFailed("no file")), .init(), "the todos could not be loaded: no file"),
        (
            .todos(.remindFailed(1, of: nil, "no desktop")), listing,
            "nobody could be reminded of 1: Call the bank (no desktop)"
        ),
        (
            .todos(.remindFailed(2, of: nil, "no desktop")), listing,
            "nobody could be reminded of todo 2: no desktop"
        ),
        (.posts(.failed("no feed")), .init(), "the posts could not be fetched: no feed"),
        (
            .stars(.failed("apple/swift", reason: "no token")), starring,
            "the star of apple/swift could not be changed: no token"
        ),
        (
            .repositories(.loadFailed(language: "Swift", reason: "no network")), .init(),
            "the repositories of Swift could not be listed: no network"
        ),
        (.repositories(.languagesFailed(reason: "no network")), .init(), "the languages could not be listed: no network"),
    ]

    @Test(arguments: failures) func `an event that reports a failure raises an alert`(
        fact: App.Action, state: App.State, text: String
    ) throws {
        var state = state
        #expect(try state.dispatch(fact) == [fact, .alerts(.raise(text, id: 1))])
        #expect(state.alerts.items.elements == [Alert(id: 1, text: text)])
        #expect(App.kind(of: fact) == .event)
    }

    @Test func `an error raises an alert, keeps the list and does not affect the next reload`() {
        let store = appStore(liveApp)
        store.send(.repositories(.reload)) { $0.repositories.loading = true }
        store.expect(.repositories(.fetch(language: "Swift")))
        let failed = Repositories.Action.loadFailed(language: "Swift", reason: "no network")
        let text = "the repositories of Swift could not be listed: no network"
        store.receive(.repositories(failed), logging: [.repositories(failed), .alerts(.raise(text, id: 1))]) {
            $0.repositories.loading = false
            $0.alerts = .init(items: [Alert(id: 1, text: text)])
        }
        store.send(.repositories(.reload)) { $0.repositories.loading = true }
        store.expect(.repositories(.fetch(language: "Swift")))
        store.receive(.repositories(.loaded(language: "Swift", [linux]))) {
            $0.repositories = .init(items: [linux], isLive: true)
        }
        store.send(.alerts(.dismiss(1))) { $0.alerts = .init(items: [], nextID: 2) }
        store.finish()
    }

    @Test func `a parked command raises an alert, and its later failure another`() {
        let store = appStore()
        store.send(.todos(.load)) { $0.todos.loading = true }
        store.expect(.todos(.load))
        let waits = Alert(id: 1, text: "todos.load waits for you to retry or skip it: uncertain")
        store.park("uncertain", logging: [.alerts(.raise(waits.text, id: 1))]) { $0.alerts = .init(items: [waits]) }
        let failed = Alert(id: 2, text: "the todos could not be loaded: no file")
        store.fail("no file", logging: [.todos(.loadFailed("no file")), .alerts(.raise(failed.text, id: 2))]) {
            $0.todos.loading = false
            $0.alerts = .init(items: [waits, failed])
        }
        store.finish()
    }

    @Test func `an obsolete failure raises no alert`() throws {
        #expect(try App.prepare(.repositories(.loadFailed(language: "C", reason: "late")), liveApp, .test) == [])
        #expect(try App.prepare(.stars(.failed("apple/swift", reason: "late")), App.State(), .test) == [])
    }

    @Test func `an event that is not a failure raises no alert`() throws {
        for action in [.repositories(.reload), .counter(.increment), .posts(.fetch), .todos(.load)] as [App.Action] {
            #expect(try App.prepare(action, App.State(), .test) == [action])
        }
    }

    @Test func `every end of a command is reported to its feature, and a parked one to the user`() {
        let fetch = App.Command.repositories(.fetch(language: "Swift"))
        #expect(
            App.ended(fetch, .failed("no network")) == .repositories(.loadFailed(language: "Swift", reason: "no network")))
        #expect(App.ended(fetch, .superseded) == nil)
        let commands: [App.Command] = [fetch, .todos(.load), .posts(.fetch(page: 1, into: .set)), .stars(.star("apple/swift"))]
        for command in commands {
            #expect(
                App.ended(command, .parked("uncertain"))
                    == .alerts(.raise("\(command.name) waits for you to retry or skip it: uncertain")))
            #expect(App.ended(command, .failed("no")) != nil)
        }
        #expect(App.ended(.todos(.load), .failed("no file")) == .todos(.loadFailed("no file")))
        #expect(App.ended(.posts(.fetch(page: 1, into: .set)), .failed("no feed")) == .posts(.failed("no feed")))
        #expect(App.ended(.stars(.star("a")), .failed("no")) == .stars(.failed("a", reason: "no")))
    }

    @Test func `an alert for a parked command gets the next ID`() throws {
        var state = App.State()
        let fact = try #require(App.ended(.todos(.load), .parked("uncertain")))
        #expect(App.kind(of: fact) == .event)
        try state.dispatch(fact)
        #expect(state.alerts.items.elements.map(\.id) == [1])
    }
}
