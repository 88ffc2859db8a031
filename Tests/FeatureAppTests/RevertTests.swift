import Chronicle
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import TestSupport
import Testing

@Suite struct RevertTests {
    /// Reverts the changes between two states as a log would.
    func takeBack(_ app: inout RandomApp, from after: App.State, to before: App.State) throws -> [Conflict] {
        let reverted = App.reverted(app.state, from: after, to: before)
        app.run(try App.compensatingActions(from: app.state, to: reverted.state))
        #expect(app.state.withoutNextIDs == reverted.state.withoutNextIDs)
        return reverted.conflicts
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `undoing a history step by step restores every state, and redoing restores the last`(seed: UInt64) throws {
        var app = RandomApp(seed)
        var states = [app.state]
        for _ in 0..<60 {
            app.step()
            states.append(app.state)
        }
        var undos: [(before: App.State, after: App.State)] = []
        for place in states.indices.dropLast().reversed() {
            let before = app.state
            let conflicts = try takeBack(&app, from: states[place + 1], to: states[place])
            #expect(conflicts.isEmpty, "back to \(place)")
            #expect(app.state.withoutNextIDs == states[place].withoutNextIDs, "back to \(place)")
            undos.append((before, app.state))
        }
        for (place, undo) in zip(1..., undos.reversed()) {
            let conflicts = try takeBack(&app, from: undo.after, to: undo.before)
            #expect(conflicts.isEmpty, "forth to \(place)")
            #expect(app.state.withoutNextIDs == states[place].withoutNextIDs, "forth to \(place)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `later changes are kept or conflict, and forcing gives a valid state`(seed: UInt64)
        throws
    {
        var app = RandomApp(seed)
        for _ in 0..<40 { app.step() }
        let before = app.state
        app.step()
        let after = app.state
        for _ in 0..<10 { app.step() }
        let reverted = App.reverted(app.state, from: after, to: before)
        app.run(try App.compensatingActions(from: app.state, to: reverted.state))
        let bytes = app.state.canonicalBytes
        #expect(try App.State(canonical: bytes) == app.state)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `compensating actions lead from any state to any other, except for stars and running requests`(seed: UInt64) throws {
        var app = RandomApp(seed)
        for _ in 0..<30 { app.step() }
        let wanted = app.state
        for _ in 0..<50 { app.step() }
        let target = App.reverted(app.state, from: app.state, to: wanted).state
        var state = app.state
        for action in try App.compensatingActions(from: state, to: target) {
            #expect(try App.Action(canonical: action.canonicalBytes) == action)
            #expect(try App.Action(action.value) == action)
            _ = App.reduce(&state, action, .test)
        }
        state.stars = wanted.stars
        #expect(state.withoutNextIDs == wanted.withoutNextIDs)
    }

    @Test func `an undo reverts the fields that the step changed, and conflicts only where one of them has changed again`() {
        var before = Todos.State(items: [Todo(id: 1, title: "Milk"), Todo(id: 2, title: "Bread")])
        let older = before
        before.draft = "typed"
        var after = before
        _ = Todos.reduce(&after, .complete(1, at: 5), .test)
        var present = after
        _ = Todos.reduce(&present, .edit(1, TodoChanges(title: "Oat milk")), .test)
        _ = Todos.reduce(&present, .edit(2, TodoChanges(title: "Rye")), .test)
        let reverted = Todos.reverted(present, from: after, to: before)
        #expect(reverted.conflicts.isEmpty)
        #expect(reverted.state.items.elements.map(\.title) == ["Oat milk", "Rye"])
        #expect(reverted.state.items[1]?.completed == nil)
        var again = present
        _ = Todos.reduce(&again, .edit(1, TodoChanges(title: "Rice milk", note: "2 l")), .test)
        let forced = Todos.reverted(again, from: present, to: after)
        #expect(forced.conflicts == [Conflict("items[1].title", expected: "Oat milk", found: "Rice milk")])
        #expect(forced.state.items[1]?.title == "Milk" && forced.state.items[1]?.note == "2 l")
        #expect(Todos.reverted(present, from: before, to: older).conflicts.isEmpty)
    }

    @Test func `a removed todo returns with its ID, its times and its index`() throws {
        let milk = Todo(id: 1, title: "Milk", created: 7, completed: 9)
        let before = Todos.State(items: [Todo(id: 2, title: "Bread"), milk, Todo(id: 3, title: "Salt")])
        var after = before
        _ = Todos.reduce(&after, .remove(1), .test)
        let reverted = Todos.reverted(after, from: after, to: before)
        #expect(try Todos.compensatingActions(from: after, to: reverted.state) == [.putBack([PlacedTodo(milk, at: 1)])])
    }

    @Test func `the draft is kept and causes no conflict`() throws {
        var before = Todos.State()
        before.draft = "Buy milk"
        var after = before
        for action in try Todos.prepare(.submit, before, .test) { _ = Todos.reduce(&after, action, .test) }
        #expect(Todos.reverted(after, from: after, to: before).state.draft == "Buy milk")
        var present = after
        present.draft = "Buy b"
        let reverted = Todos.reverted(present, from: after, to: before)
        #expect(reverted.conflicts.isEmpty && reverted.state.draft == "Buy b" && reverted.state.items.isEmpty)
    }

    @Test(arguments: [(10, 11, 20, 19), (5, 0, 3, 8), (0, 7, 7, 0)] as [(Int64, Int64, Int64, Int64)])
    func `the counter reverts by the difference`(before: Int64, after: Int64, present: Int64, expected: Int64) throws {
        let reverted = Counter.reverted(.init(count: present), from: .init(count: after), to: .init(count: before))
        #expect(reverted.conflicts.isEmpty && reverted.state.count == expected)
        var state = Counter.State(count: present)
        for action in Counter.compensatingActions(from: state, to: reverted.state) { _ = Counter.reduce(&state, action, .test) }
        #expect(state.count == expected)
    }

    @Test func `reverting beyond the limits is a conflict, and the full range takes two shifts`() {
        let (top, bottom) = (Counter.State(count: Int64.exactMax), Counter.State(count: -Int64.exactMax))
        #expect(Counter.reverted(top, from: .init(count: 0), to: .init(count: 1)).conflicts.map(\.path) == ["count"])
        var state = bottom
        for action in Counter.compensatingActions(from: bottom, to: top) { _ = Counter.reduce(&state, action, .test) }
        #expect(state == top)
    }

    @Test func `a star is reverted by the opposite request, and a running request is a conflict`() {
        let after = Stars.State(items: ["swift": Star(.star, starCount: 1)])
        let reverted = Stars.reverted(after, from: after, to: .init())
        #expect(reverted.conflicts.isEmpty)
        #expect(Stars.compensatingActions(from: after, to: reverted.state) == [.unstaring("swift")])
        let busy = Stars.State(items: ["swift": Star(.unstaring, starCount: 1)])
        #expect(Stars.reverted(busy, from: after, to: .init()).conflicts.map(\.path) == ["items.swift"])
        #expect(Stars.compensatingActions(from: busy, to: .init()).isEmpty)
    }

    @Test func `an ended flow reopens unless another flow of its kind is open`() {
        let before = Flows.State(items: [Flow(id: 1, kind: "language", options: ["C"])])
        let after = Flows.State(items: [], nextID: 2)
        #expect(Flows.reverted(after, from: after, to: before).state.items.elements.map(\.id) == [1])
        let present = Flows.State(items: [Flow(id: 2, kind: "language")])
        let reverted = Flows.reverted(present, from: after, to: before)
        #expect(reverted.conflicts.map(\.path) == ["items[1]"])
        #expect(reverted.state == present)
    }

    @Test func `a post that returned under another ID is not restored twice`() {
        let before = Posts.State(items: [Post(id: 1, key: "a", title: "A")])
        let after = Posts.State(items: [], nextID: 2)
        let present = Posts.State(items: [Post(id: 2, key: "a", title: "A")])
        let reverted = Posts.reverted(present, from: after, to: before)
        #expect(reverted.conflicts.map(\.path) == ["items[1]"])
        #expect(reverted.state == present)
    }

    @Test func `a reverted request starts again, and a running request continues`() throws {
        let loading = Todos.State(items: [], loading: true)
        #expect(try Todos.compensatingActions(from: .init(), to: loading) == [.load])
        #expect(try Todos.compensatingActions(from: loading, to: .init()) == [])
        #expect(Todos.reverted(loading, from: .init(), to: .init(items: [Todo(id: 1, title: "Milk")])).conflicts.isEmpty)
    }
}
