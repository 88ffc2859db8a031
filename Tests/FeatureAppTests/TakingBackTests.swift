import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Fields
import TestSupport
import Testing

@Suite struct TakingBackTests {
    /// Takes back what led from one state to another, as a log would have it.
    func takeBack(_ app: inout RandomApp, from after: App.State, to before: App.State) throws -> [Conflict] {
        let takenBack = App.takenBack(app.state, from: after, to: before)
        app.run(try App.compensation(from: app.state, to: takenBack.state))
        #expect(app.state.withoutNextIDs == takenBack.state.withoutNextIDs)
        return takenBack.conflicts
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a history taken back step by step goes through every state it had, and forth again`(seed: UInt64) throws {
        var app = RandomApp(seed)
        var states = [app.state]
        for _ in 0..<60 {
            app.step()
            states.append(app.state)
        }
        var wayBack: [(before: App.State, after: App.State)] = []
        for place in states.indices.dropLast().reversed() {
            let before = app.state
            let conflicts = try takeBack(&app, from: states[place + 1], to: states[place])
            #expect(conflicts.isEmpty, "back to \(place)")
            #expect(app.state.withoutNextIDs == states[place].withoutNextIDs, "back to \(place)")
            wayBack.append((before, app.state))
        }
        for (place, undo) in zip(1..., wayBack.reversed()) {
            let conflicts = try takeBack(&app, from: undo.after, to: undo.before)
            #expect(conflicts.isEmpty, "forth to \(place)")
            #expect(app.state.withoutNextIDs == states[place].withoutNextIDs, "forth to \(place)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what happened in between stays, or is a conflict; and who insists comes to a state that can be kept`(seed: UInt64)
        throws
    {
        var app = RandomApp(seed)
        for _ in 0..<40 { app.step() }
        let before = app.state
        app.step()
        let after = app.state
        for _ in 0..<10 { app.step() }
        let takenBack = App.takenBack(app.state, from: after, to: before)
        app.run(try App.compensation(from: app.state, to: takenBack.state))
        let bytes = app.state.canonicalBytes
        #expect(try App.State(canonical: bytes) == app.state)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any state leads to any other, but for stars and what is under way`(seed: UInt64) throws {
        var app = RandomApp(seed)
        for _ in 0..<30 { app.step() }
        let wanted = app.state
        for _ in 0..<50 { app.step() }
        let target = App.takenBack(app.state, from: app.state, to: wanted).state
        var state = app.state
        for action in try App.compensation(from: state, to: target) {
            #expect(try App.Action(canonical: action.canonicalBytes) == action)
            #expect(try App.Action(action.value) == action)
            _ = App.reduce(&state, action, .test)
        }
        state.stars = wanted.stars
        #expect(state.withoutNextIDs == wanted.withoutNextIDs)
    }

    @Test func `a todo that was changed since is a conflict, by the field that differs, and only what was done is forced back`() {
        var before = Todos.State(items: [Todo(id: 1, title: "Milk"), Todo(id: 2, title: "Bread")])
        let older = before
        before.draft = "typed"
        var after = before
        _ = Todos.reduce(&after, .complete(1, at: 5), .test)
        var present = after
        _ = Todos.reduce(&present, .edit(1, TodoChanges(title: "Oat milk")), .test)
        _ = Todos.reduce(&present, .edit(2, TodoChanges(title: "Rye")), .test)
        let takenBack = Todos.takenBack(present, from: after, to: before)
        #expect(takenBack.conflicts == [Conflict("items[1].title", expected: "Milk", found: "Oat milk")])
        #expect(takenBack.state.items.elements.map(\.title) == ["Oat milk", "Rye"])
        #expect(takenBack.state.items[1]?.completed == nil)
        #expect(Todos.takenBack(present, from: before, to: older).conflicts.isEmpty)
    }

    @Test func `a removed todo comes back with its id, its times and its place`() throws {
        let milk = Todo(id: 1, title: "Milk", created: 7, completed: 9)
        let before = Todos.State(items: [Todo(id: 2, title: "Bread"), milk, Todo(id: 3, title: "Salt")])
        var after = before
        _ = Todos.reduce(&after, .remove(1), .test)
        let takenBack = Todos.takenBack(after, from: after, to: before)
        #expect(try Todos.compensation(from: after, to: takenBack.state) == [.putBack([PlacedTodo(milk, at: 1)])])
    }

    @Test func `what somebody is typing is neither lost nor in the way`() throws {
        var before = Todos.State()
        before.draft = "Buy milk"
        var after = before
        for action in try Todos.prepare(.submit, before, .test) { _ = Todos.reduce(&after, action, .test) }
        #expect(Todos.takenBack(after, from: after, to: before).state.draft == "Buy milk")
        var present = after
        present.draft = "Buy b"
        let takenBack = Todos.takenBack(present, from: after, to: before)
        #expect(takenBack.conflicts.isEmpty && takenBack.state.draft == "Buy b" && takenBack.state.items.isEmpty)
    }

    @Test(arguments: [(10, 11, 20, 19), (5, 0, 3, 8), (0, 7, 7, 0)] as [(Int64, Int64, Int64, Int64)])
    func `the counter takes back the difference`(before: Int64, after: Int64, present: Int64, expected: Int64) throws {
        let takenBack = Counter.takenBack(.init(count: present), from: .init(count: after), to: .init(count: before))
        #expect(takenBack.conflicts.isEmpty && takenBack.state.count == expected)
        var state = Counter.State(count: present)
        for action in Counter.compensation(from: state, to: takenBack.state) { _ = Counter.reduce(&state, action, .test) }
        #expect(state.count == expected)
    }

    @Test func `a count beyond all counts is a conflict, and the whole way is two shifts`() {
        let (top, bottom) = (Counter.State(count: Counter.countMax), Counter.State(count: -Counter.countMax))
        #expect(Counter.takenBack(top, from: .init(count: 0), to: .init(count: 1)).conflicts.map(\.path) == ["count"])
        var state = bottom
        for action in Counter.compensation(from: bottom, to: top) { _ = Counter.reduce(&state, action, .test) }
        #expect(state == top)
    }

    @Test func `a star is taken back by the opposite request, and is a conflict while one is under way`() {
        let after = Stars.State(items: ["swift": Star(.star, starCount: 1)])
        let takenBack = Stars.takenBack(after, from: after, to: .init())
        #expect(takenBack.conflicts.isEmpty)
        #expect(Stars.compensation(from: after, to: takenBack.state) == [.unstaring("swift")])
        let busy = Stars.State(items: ["swift": Star(.unstaring, starCount: 1)])
        #expect(Stars.takenBack(busy, from: after, to: .init()).conflicts.map(\.path) == ["items.swift"])
        #expect(Stars.compensation(from: busy, to: .init()).isEmpty)
    }

    @Test func `an ended flow opens again, unless there is another of its kind by now`() {
        let before = Flows.State(items: [Flow(id: 1, kind: "language", options: ["C"])])
        let after = Flows.State(items: [], nextID: 2)
        #expect(Flows.takenBack(after, from: after, to: before).state.items.elements.map(\.id) == [1])
        let present = Flows.State(items: [Flow(id: 2, kind: "language")])
        let takenBack = Flows.takenBack(present, from: after, to: before)
        #expect(takenBack.conflicts.map(\.path) == ["items[1]"])
        #expect(takenBack.state == present)
    }

    @Test func `a post that came back under another id does not come twice`() {
        let before = Posts.State(items: [Post(id: 1, key: "a", title: "A")])
        let after = Posts.State(items: [], nextID: 2)
        let present = Posts.State(items: [Post(id: 2, key: "a", title: "A")])
        let takenBack = Posts.takenBack(present, from: after, to: before)
        #expect(takenBack.conflicts.map(\.path) == ["items[1]"])
        #expect(takenBack.state == present)
    }

    @Test func `what was being loaded is asked for again, and what loads now goes on`() throws {
        let loading = Todos.State(items: [], loading: true)
        #expect(try Todos.compensation(from: .init(), to: loading) == [.load])
        #expect(try Todos.compensation(from: loading, to: .init()) == [])
        #expect(Todos.takenBack(loading, from: .init(), to: .init(items: [Todo(id: 1, title: "Milk")])).conflicts.isEmpty)
    }
}
