import FeatureTodos
import Fields
import StoreTesting
import Testing

@Suite struct TodosLoadTests {
    /// What a source brings.
    private func titled(_ titles: String...) -> [Todo] { titles.map { Todo(title: $0) } }

    @Test func `loading asks for a command and leaves todos and text as they were`() {
        let before = Todos.State(items: [milk], draft: "abc")
        var state = before
        #expect(Todos.reduce(&state, .load, .test) == [.load])
        #expect(state.loading)
        state.loading = false
        #expect(state == before)
    }

    @Test(
        arguments: [
            .updateText("abc"), .add([dog]), .remove(1), .loaded([dog]), .loadFailed("gone"), .complete(1), .clearCompleted([1]),
        ] as [Todos.Action])
    func `only loading asks for a command`(action: Todos.Action) {
        var state = Todos.State(items: [milk])
        #expect(Todos.reduce(&state, action, .test).isEmpty)
    }

    @Test func `what is loaded stands in the list once it is there, and no sooner`() {
        let store = TestStore(Todos.State(), of: Todos.self)
        store.send(.load) { $0.loading = true }
        store.expect(.load)
        store.clock.advance(by: .seconds(2))
        let time = store.clock.microseconds
        let loaded = [Todo(id: 1, title: "2", created: time), Todo(id: 2, title: "3", created: time)]
        store.receive(.loaded(titled("2", "3")), logging: [.loaded(loaded)]) {
            $0 = Todos.State(items: loaded)
        }
        store.finish()
        #expect(store.state.titles == ["2", "3"])
    }

    @Test func `a failure ends the loading and changes nothing else`() {
        let store = TestStore(Todos.State(items: [milk], draft: "abc"), of: Todos.self)
        store.send(.load) { $0.loading = true }
        store.expect(.load)
        store.receive(.loadFailed("no such file")) { $0.loading = false }
        store.send(.load) { $0.loading = true }
        store.expect(.load)
        store.close(.load)
        store.finish()
    }

    @Test func `typing, submitting and removing go on while todos are being loaded`() {
        let store = TestStore(Todos.State(items: [milk]), of: Todos.self)
        store.send(.load) { $0.loading = true }
        store.expect(.load)
        store.send(.updateText("Take my dog")) { $0.draft = "Take my dog" }
        store.exhaustivity = .off
        store.send(.submit)
        store.exhaustivity = .on
        store.send(.remove(1)) { $0.items.remove(1) }
        store.exhaustivity = .off
        store.receive(.loaded(titled("Rent a car")))
        store.finish()
        #expect(store.state.titles == ["Rent a car", "Take my dog"])
        #expect(!store.state.loading)
    }

    @Test func `what is loaded is put on top in its own order`() throws {
        var state = Todos.State(items: [milk], loading: true)
        try state.dispatch(.loaded(titled("3", "2")))
        #expect(state.titles == ["3", "2", "Buy the milk"])
        #expect(!state.loading)
    }

    @Test func `what is loaded gets ids and the time, and may be short`() throws {
        let state = Todos.State(items: [milk, dog, car])
        let logged = try Todos.prepare(.loaded(titled(" a ", "", " \n", "b")), state, .test)
        let time = Context.test.time
        #expect(logged == [.loaded([Todo(id: 4, title: "a", created: time), Todo(id: 5, title: "b", created: time)])])
        #expect(logged.flatMap(Todos.created) == [4, 5])
    }

    @Test func `what stands in the list already does not come again, open or done, and as often as it stands there`() throws {
        var done = dog
        done.completed = 5
        let state = Todos.State(items: [milk, done])
        let time = Context.test.time
        let again = titled(" Buy the milk ", "Rent a car", "Take my dog", "Buy the milk", "Rent a car")
        let expected = [
            Todo(id: 3, title: "Rent a car", created: time), Todo(id: 4, title: "Buy the milk", created: time),
            Todo(id: 5, title: "Rent a car", created: time),
        ]
        #expect(try Todos.prepare(.loaded(again), state, .test) == [.loaded(expected)])
        #expect(try Todos.prepare(.loaded(titled("Buy the milk", "Take my dog")), state, .test) == [.loaded([])])
        // What an older log holds is folded as it is.
        var folded = state
        _ = Todos.reduce(&folded, .loaded([Todo(id: 3, title: "Buy the milk")]), .test)
        #expect(folded.titles == ["Buy the milk", "Buy the milk", "Take my dog"])
    }

    @Test func `that there was nothing to load is logged too`() throws {
        #expect(try Todos.prepare(.loaded([]), Todos.State(items: [], loading: true), .test) == [.loaded([])])
    }

    @Test func `a source gives no ids and no times, and nothing too large`() {
        let state = Todos.State()
        #expect(refusal(of: .loaded([Todo(id: 1, title: "one")]), in: state) == "FieldNotAllowed")
        #expect(refusal(of: .loaded([Todo(title: "one", created: 1)]), in: state) == "FieldNotAllowed")
        #expect(refusal(of: .loaded([Todo(title: String(repeating: "x", count: 4097))]), in: state) == "TitleTooLong")
    }

    @Test func `loading again asks again, and the later request takes the place of the earlier`() throws {
        let state = Todos.State(items: [], loading: true)
        #expect(try Todos.prepare(.load, state, .test) == [.load])
        #expect(Todos.Command.load.policy == CommandPolicy(cancelID: "load"))
    }

    @Test func `every end without a result says that nothing was loaded, unless the loading goes on`() {
        #expect(Todos.ended(.load, .failed("gone")) == .loadFailed("gone"))
        #expect(Todos.ended(.load, .skipped) == .loadFailed("it was skipped"))
        #expect(Todos.ended(.load, .cancelled) == .loadFailed("it was cancelled"))
        #expect(Todos.ended(.load, .superseded) == nil)
        #expect(Todos.ended(.load, .parked("why")) == nil)
    }

    @Test func `a reason that is too long is cut`() throws {
        let long = String(repeating: "é", count: 5000)
        let cut = String(repeating: "é", count: 2048)
        #expect(try Todos.prepare(.loadFailed(long), Todos.State(), .test) == [.loadFailed(cut)])
    }

    @Test func `what is brought back is a fact, a text that is typed is typing, all else is an order`() {
        #expect(Todos.nature(of: .loaded([])) == .fact)
        #expect(Todos.nature(of: .loadFailed("")) == .fact)
        #expect(Todos.nature(of: .updateText("a")) == .typing)
        #expect(Todos.nature(of: .load) == .request)
        for action in [.submit, .add([]), .remove(1)] as [Todos.Action] { #expect(Todos.nature(of: action) == .order) }
    }

    @Test func `the flag is a part of the state that can be watched by itself`() {
        let loading = ScopeSet(index: 2)
        let (idle, busy) = (Todos.State(items: [milk]), Todos.State(items: [milk], loading: true))
        #expect(Todos.scopes(of: .load) == loading && Todos.scopes(of: .loadFailed("")) == loading)
        #expect(Todos.scopes(of: .loaded([])).isSuperset(of: [loading, ScopeSet(index: 0)]))
        #expect(Todos.changedScopes(from: idle, to: busy) == loading)
        #expect(
            Todos.changes(from: idle, to: busy, limit: 1) == [
                Change(path: "", kind: .set, old: ["loading": false], new: ["loading": true])
            ])
    }

    @Test func `titles that Unicode calls equal are different todos when their bytes differ`() throws {
        var composed = Todos.State()
        var decomposed = Todos.State()
        try composed.dispatch(.loaded(titled("\u{E9}")))
        try decomposed.dispatch(.loaded(titled("e\u{301}")))
        #expect(composed != decomposed)
    }
}
