import Chronicle
import ChronicleTesting
import FeatureTodos
import Testing

@Suite struct TodosLoadTests {
    /// Todos as a data source returns them.
    private func titled(_ titles: String...) -> [Todo] { titles.map { Todo(title: $0) } }

    @Test func `loading returns a command and keeps todos and draft`() {
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
    func `only loading returns a command`(action: Todos.Action) {
        var state = Todos.State(items: [milk])
        #expect(Todos.reduce(&state, action, .test).isEmpty)
    }

    @Test func `loaded todos are added with the result of the command`() {
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

    @Test func `typing, submitting and removing work during a load`() {
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

    @Test func `loaded todos are inserted at the top in their order`() throws {
        var state = Todos.State(items: [milk], loading: true)
        try state.dispatch(.loaded(titled("3", "2")))
        #expect(state.titles == ["3", "2", "Buy the milk"])
        #expect(!state.loading)
    }

    @Test func `loaded todos get IDs and the time, and may have short titles`() throws {
        let state = Todos.State(items: [milk, dog, car])
        let logged = try Todos.prepare(.loaded(titled(" a ", "", " \n", "b")), state, .test)
        let time = Context.test.time
        #expect(logged == [.loaded([Todo(id: 4, title: "a", created: time), Todo(id: 5, title: "b", created: time)])])
        #expect(logged.flatMap(Todos.created) == [4, 5])
    }

    @Test func `loading skips todos that the list already has, completed or not, counted by title`() throws {
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
        // The fold keeps duplicates of an older log.
        var folded = state
        _ = Todos.reduce(&folded, .loaded([Todo(id: 3, title: "Buy the milk")]), .test)
        #expect(folded.titles == ["Buy the milk", "Buy the milk", "Take my dog"])
    }

    @Test func `an empty load is logged`() throws {
        #expect(try Todos.prepare(.loaded([]), Todos.State(items: [], loading: true), .test) == [.loaded([])])
    }

    @Test func `a data source must not give IDs, times or large values`() {
        let state = Todos.State()
        #expect(refusal(of: .loaded([Todo(id: 1, title: "one")]), in: state) == "FieldNotAllowed")
        #expect(refusal(of: .loaded([Todo(title: "one", created: 1)]), in: state) == "FieldNotAllowed")
        #expect(refusal(of: .loaded([Todo(title: String(repeating: "x", count: 4097))]), in: state) == "TitleTooLong")
    }

    @Test func `loading again makes a new request, which supersedes the previous one`() throws {
        let state = Todos.State(items: [], loading: true)
        #expect(try Todos.prepare(.load, state, .test) == [.load])
        #expect(Todos.Command.load.policy == CommandPolicy(cancelID: "load"))
    }

    @Test func `every end without a result reports a failed load, unless loading continues`() {
        #expect(Todos.ended(.load, .failed("gone")) == .loadFailed("gone"))
        #expect(Todos.ended(.load, .skipped) == .loadFailed("it was skipped"))
        #expect(Todos.ended(.load, .cancelled) == .loadFailed("it was cancelled"))
        #expect(Todos.ended(.load, .superseded) == nil)
        #expect(Todos.ended(.load, .parked("why")) == nil)
    }

    @Test func `a long reason is truncated`() throws {
        let long = String(repeating: "é", count: 5000)
        let cut = String(repeating: "é", count: 2048)
        #expect(try Todos.prepare(.loadFailed(long), Todos.State(), .test) == [.loadFailed(cut)])
    }

    @Test func `the loading flag can be watched separately`() {
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
}
