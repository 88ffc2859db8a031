import Chronicle
import FeatureTodos
import Testing

@Suite struct TodosReduceTests {
    @Test func `the draft is that of the last edit`() {
        var state = Todos.State()
        #expect(Todos.reduce(&state, .updateText("123"), .test).isEmpty)
        #expect(state.draft == "123")
        state.reduce(.updateText("321"))
        #expect(state.draft == "321")
        state.reduce(.updateText(""))
        #expect(state == Todos.State())
    }

    @Test func `added todos are inserted at the top in their order`() {
        var state = Todos.State(items: [milk])
        #expect(Todos.reduce(&state, .add([car, dog]), .test).isEmpty)
        #expect(state.titles == ["Rent a car", "Take my dog", "Buy the milk"])
    }

    @Test func `removing affects exactly one todo`() {
        var state = Todos.State(items: [milk, dog, car])
        #expect(Todos.reduce(&state, .remove(dog.id), .test).isEmpty)
        #expect(state.titles == ["Buy the milk", "Rent a car"])
    }

    @Test func `removing a todo twice has the same effect as removing it once`() {
        var state = Todos.State(items: [milk, dog])
        state.reduce(.remove(milk.id))
        let once = state
        state.reduce(.remove(milk.id))
        #expect(state == once)
        #expect(state.items.isIdentical(to: once.items))
    }

    @Test func `completing and reopening set and clear the time, once`() {
        var state = Todos.State(items: [milk])
        state.reduce(.complete(1, at: 77))
        #expect(state.items[1]?.completed == 77)
        state.reduce(.complete(1, at: 88))
        #expect(state.items[1]?.completed == 77)
        state.reduce(.reopen(1))
        #expect(state.items[1] == milk)
        state.reduce(.reopen(1))
        #expect(state.items[1] == milk)
    }

    @Test func `an edit sets the given fields and keeps the rest`() throws {
        var state = Todos.State(items: [milk])
        let due = try #require(Due("2026-12-01"))
        state.reduce(.edit(1, TodoChanges(note: "two litres", tags: ["shop"], priority: .high, due: .set(due))))
        #expect(
            state.items[1]
                == Todo(id: 1, title: "Buy the milk", note: "two litres", tags: ["shop"], priority: .high, due: due, created: 10))
        state.reduce(.edit(1, TodoChanges(title: "Buy oat milk", note: "", tags: [], due: .clear)))
        #expect(state.items[1] == Todo(id: 1, title: "Buy oat milk", priority: .high, created: 10))
    }

    @Test func `the wait date remains until it is edited, and an undo restores it`() throws {
        let before = Todos.State(items: [milk])
        let day = try #require(Due("2026-12-01"))
        var state = before
        state.reduce(.edit(1, TodoChanges(wait: .set(day))))
        #expect(state.items[1] == Todo(id: 1, title: "Buy the milk", wait: day, created: 10))
        state.reduce(.edit(1, TodoChanges(note: "two litres")))
        #expect(state.items[1]?.wait == day && state.items[1]?.note == "two litres")
        for action in try Todos.compensatingActions(from: state, to: before) { state.reduce(action) }
        #expect(state == before)
        let waiting = Todos.State(items: [Todo(id: 1, title: "Buy the milk", wait: day, created: 10)])
        #expect(try Todos.compensatingActions(from: before, to: waiting) == [.edit(1, TodoChanges(wait: .set(day)))])
        let later = Todos.State(items: [Todo(id: 1, title: "Buy the milk", after: [2], created: 10)], nextID: 3)
        #expect(try Todos.compensatingActions(from: before, to: later) == [.edit(1, TodoChanges(after: [2]))])
        #expect(try Todos.compensatingActions(from: later, to: before) == [.edit(1, TodoChanges(after: []))])
        let origin = TodoOrigin(source: "ics:1")
        let imported = Todos.State(items: [Todo(id: 1, title: "Buy the milk", origin: origin, created: 10)])
        #expect(try Todos.compensatingActions(from: before, to: imported) == [.edit(1, TodoChanges(origin: origin))])
        #expect(try Todos.compensatingActions(from: imported, to: before) == [.edit(1, TodoChanges(origin: TodoOrigin()))])
    }

    @Test func `moving inserts a todo at its new index`() {
        var state = Todos.State(items: [milk, dog, car])
        state.reduce(.move(3, to: 0))
        #expect(state.titles == ["Rent a car", "Buy the milk", "Take my dog"])
        state.reduce(.move(3, to: 99))
        #expect(state.titles == ["Buy the milk", "Take my dog", "Rent a car"])
    }

    @Test func `removed todos are restored at their indices`() {
        let before = Todos.State(items: [milk, dog, car])
        var state = before
        state.reduce(.clearCompleted([1, 3]))
        #expect(state.titles == ["Take my dog"])
        state.reduce(.putBack([PlacedTodo(milk, at: 0), PlacedTodo(car, at: 2)]))
        #expect(state == before)
    }

    @Test func `the next ID is greater than every given ID`() {
        var state = Todos.State()
        state.reduce(.add([Todo(id: 7, title: "seven")]))
        #expect(state.nextID == 8)
        state.reduce(.putBack([PlacedTodo(Todo(id: 12, title: "twelve"), at: 0)]))
        #expect(state.nextID == 13)
        state.reduce(.remove(20))
        #expect(state.nextID == 21)
        state.reduce(.add([Todo(id: 3, title: "three")]))
        #expect(state.nextID == 21)
    }

    @Test func `omitting an add from the history keeps the other IDs`() throws {
        var state = Todos.State()
        var logged: [Todos.Action] = []
        for title in ["one", "two", "three"] {
            let actions = try Todos.prepare(.add([Todo(title: title)]), state, .test)
            for action in actions { state.reduce(action) }
            logged += actions
        }
        var other = Todos.State()
        for action in [logged[0], logged[2]] { other.reduce(action) }
        #expect(other.items[3]?.title == "three")
        #expect(other.nextID == state.nextID)
    }

    @Test func `a todo with an existing or invalid ID is not added`() {
        var state = Todos.State(items: [milk])
        state.reduce(.add([Todo(id: 1, title: "again"), Todo(id: 0, title: "zero"), Todo(id: .max, title: "max"), dog]))
        #expect(state.titles == ["Take my dog", "Buy the milk"])
        #expect(state.nextID == 3)
    }

    @Test func `the fold compares texts by their bytes`() {
        let composed = Todos.State(items: [Todo(id: 1, title: "caf\u{E9}")])
        var decomposed = composed
        decomposed.reduce(.edit(1, TodoChanges(title: "cafe\u{301}")))
        #expect(decomposed != composed)
        #expect(Todos.changedScopes(from: composed, to: decomposed) == ScopeSet(index: 0))
        #expect(Todos.Action.updateText("\u{E9}") != .updateText("e\u{301}"))
        var typed = Todos.State(items: [], draft: "\u{E9}")
        typed.reduce(.updateText("e\u{301}"))
        #expect(Array(typed.draft.utf8) == [0x65, 0xCC, 0x81])
    }

    @Test func `a todo takes 56 bytes besides its texts`() {
        #expect(MemoryLayout<Todo>.stride == 56)
    }
}
