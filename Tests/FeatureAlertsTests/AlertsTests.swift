import Chronicle
import ChronicleTesting
import FeatureAlerts
import Testing

@Suite struct AlertsTests {
    @Test func `an alert remains until it is dismissed`() throws {
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

    @Test func `dismissing all alerts does not reuse their IDs`() throws {
        let store = TestStore(Alerts.State(items: [hot, cold]), of: Alerts.self)
        store.send(.dismissAll) { $0 = Alerts.State(items: [], nextID: 3) }
        store.send(.dismissAll, logging: [])
        store.finish()
        var state = store.state
        try state.dispatch(.raise("again"))
        #expect(state == Alerts.State(items: [Alert(id: 3, text: "again")]))
    }

    @Test func `alerts are in chronological order, and the oldest are removed above a hundred`() throws {
        var state = Alerts.State()
        for number in 1...103 { try state.dispatch(.raise("alert \(number)")) }
        #expect(state.items.count == 100)
        #expect(state.items.elements.first == Alert(id: 4, text: "alert 4"))
        #expect(state.items.elements.last == Alert(id: 103, text: "alert 103"))
        #expect(state.nextID == 104)
        #expect(refusal(of: .dismiss(3), in: state) == "UnknownID")
    }

    @Test func `the daemon assigns the ID and returns it`() throws {
        let state = Alerts.State(items: [hot])
        #expect(refusal(of: .raise("x", id: 9), in: state) == "FieldNotAllowed")
        #expect(try Alerts.prepare(.raise("x"), state, .test).flatMap(Alerts.created) == [2])
        #expect(Alerts.created(by: .dismiss(1)) == [])
        let last = Alerts.State(items: [Alert(id: ElementID.range.upperBound, text: "last")])
        #expect(refusal(of: .raise("x"), in: last) == "IDsExhausted")
    }

    @Test func `a long text is truncated at a character boundary`() throws {
        let logged = try Alerts.prepare(.raise("x" + String(repeating: "é", count: 4000)), Alerts.State(), .test)
        #expect(logged == [.raise("x" + String(repeating: "é", count: 2047), id: 1)])
    }

    @Test func `raising an alert twice with the same ID adds it once`() {
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
}
