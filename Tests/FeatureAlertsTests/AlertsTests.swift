import FeatureAlerts
import Fields
import StoreTesting
import Testing

@Suite struct AlertsTests {
    @Test func `an alert is there until it is dismissed, and then no more`() throws {
        var state = Alerts.State()
        try state.dispatch(.raise("it is too hot"))
        #expect(state == Alerts.State(items: [hot]))
        try state.dispatch(.raise("it is too cold"))
        #expect(state == Alerts.State(items: [hot, cold]))
        let store = TestStore(state, of: Alerts.self)
        store.send(.dismiss(1)) { $0.items.remove(1) }
        store.refuse(.dismiss(1), name: "UnknownID")
        store.refuse(.raise("by hand"), name: "FactNotAllowed")
        store.expectNoCommands()
        store.finish()
    }

    @Test func `all alerts are dismissed at once, and their ids are never used again`() throws {
        let store = TestStore(Alerts.State(items: [hot, cold]), of: Alerts.self)
        store.send(.dismissAll) { $0 = Alerts.State(items: [], nextID: 3) }
        store.send(.dismissAll, logging: [])
        store.finish()
        var state = store.state
        try state.dispatch(.raise("again"))
        #expect(state == Alerts.State(items: [Alert(id: 3, text: "again")]))
    }

    @Test func `the newest alert stands last, and of more than a hundred the oldest leave`() throws {
        var state = Alerts.State()
        for number in 1...103 { try state.dispatch(.raise("alert \(number)")) }
        #expect(state.items.count == 100)
        #expect(state.items.elements.first == Alert(id: 4, text: "alert 4"))
        #expect(state.items.elements.last == Alert(id: 103, text: "alert 103"))
        #expect(state.nextID == 104)
        #expect(refusal(of: .dismiss(3), in: state) == "UnknownID")
    }

    @Test func `raising is a fact, dismissing an order`() {
        #expect(Alerts.nature(of: .raise("x")) == .fact)
        #expect(Alerts.nature(of: .dismiss(1)) == .order)
        #expect(Alerts.nature(of: .dismissAll) == .order)
    }

    @Test func `the id is the daemon's to give, and is told`() throws {
        let state = Alerts.State(items: [hot])
        #expect(refusal(of: .raise("x", id: 9), in: state) == "FieldNotAllowed")
        #expect(try Alerts.prepare(.raise("x"), state, .test).flatMap(Alerts.created) == [2])
        #expect(Alerts.created(by: .dismiss(1)) == [])
        let last = Alerts.State(items: [Alert(id: Alerts.Limits.ids.upperBound, text: "last")])
        #expect(refusal(of: .raise("x"), in: last) == "IDsExhausted")
    }

    @Test func `a text that is too long is cut between two characters`() throws {
        let logged = try Alerts.prepare(.raise("x" + String(repeating: "é", count: 4000)), Alerts.State(), .test)
        #expect(logged == [.raise("x" + String(repeating: "é", count: 2047), id: 1)])
    }

    @Test func `an alert that is raised twice with one id is raised once`() {
        var state = Alerts.State()
        state.reduce(.raise("it is too hot", id: 1))
        let once = state
        state.reduce(.raise("other", id: 1))
        state.reduce(.raise("none", id: 0))
        #expect(state == once)
        state.reduce(.dismiss(7))
        #expect(state.nextID == 8)
    }

    @Test func `the view counts the alerts and shows each`() {
        #expect(Alerts.view(of: Alerts.State()) == ["count": 0, "rows": []])
        #expect(
            Alerts.view(of: Alerts.State(items: [hot, cold])) == [
                "count": 2, "rows": [["id": 1, "text": "it is too hot"], ["id": 2, "text": "it is too cold"]],
            ])
    }

    @Test func `the summary has everything but the alerts, the list has them by page`() throws {
        let state = Alerts.State(items: [hot, cold])
        #expect(Alerts.summary(of: state) == ["items": [], "nextID": 3])
        let list = try #require(Alerts.lists(of: state).first)
        #expect(list.path == "items" && list.count == 2)
        #expect(list.elements(1..<2) == [cold.value])
        #expect(list.elements(0..<0) == [])
    }
}
