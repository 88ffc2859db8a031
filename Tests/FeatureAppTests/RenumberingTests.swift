import Chronicle
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureTodos
import Testing

/// Renumbering of fork states that are merged into another log.
@Suite struct RenumberingTests {
    /// A log and a fork of it with other actions.
    private func histories(_ seed: UInt64) -> (base: App.State, app: RandomApp, fork: RandomApp) {
        var app = RandomApp(seed)
        for _ in 0..<20 { app.step() }
        var fork = RandomApp(seed &+ 1_000)
        fork.state = app.state
        for _ in 0..<30 { fork.step() }
        return (app.state, app, fork)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `merging a fork into an unchanged log gives its state, except for alerts and timed-out flows`(seed: UInt64) {
        let (base, _, fork) = histories(seed)
        let carried = App.renumbered(fork.state, since: base, along: [ForkStretch(end: fork.state, before: base)])
        let taken = App.reverted(base, from: base, to: carried)
        var expected = fork.state
        expected.alerts = base.alerts
        for todo in fork.state.todos.items.elements {
            // A removed todo is treated like one that never existed.
            let exists = { (id: UInt64) in id < base.todos.nextID || fork.state.todos.items.contains(id) }
            expected.todos.items.update(todo.id) {
                $0.after = todo.after.filter(exists)
                if !exists(todo.series) { $0.series = 0 }
            }
        }
        if expected.flows.timedOut >= base.flows.nextID { expected.flows.timedOut = base.flows.timedOut }
        #expect(taken.conflicts.isEmpty)
        #expect(taken.state.withoutNextIDs == expected.withoutNextIDs)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `todos that both logs added are kept under different IDs`(seed: UInt64) throws {
        var (base, app, fork) = histories(seed)
        for _ in 0..<30 { app.step() }
        let carried = App.renumbered(fork.state, since: base, along: [ForkStretch(end: fork.state, before: app.state)])
        let taken = App.reverted(app.state, from: base, to: carried).state
        for todo in app.state.todos.items.elements where todo.id >= base.todos.nextID {
            #expect(taken.todos.items[todo.id] == todo)
        }
        let moved = MovedIDs(
            of: \.todos.items, behind: \.todos.nextID, since: base, along: [ForkStretch(end: fork.state, before: app.state)])
        for todo in fork.state.todos.items.elements where todo.id >= base.todos.nextID {
            var expected = todo
            expected.id = try #require(moved[todo.id])
            expected.after = todo.after.compactMap { moved[$0] }
            expected.series = moved[todo.series] ?? 0
            #expect(expected.id >= app.state.todos.nextID)
            // Only one todo of a series keeps the rule, and it is the one of this log.
            let recurs = { (todo: Todo) in todo.completed == nil && !todo.every.isEmpty }
            let series = expected.series
            let isTwin = app.state.todos.items.elements.contains { recurs($0) && ($0.series == series || $0.id == series) }
            #expect(taken.todos.items[expected.id] == (series > 0 && recurs(todo) && isTwin ? nil : expected))
        }
        for flow in carried.flows.items.elements where flow.parent > 0 { #expect(carried.flows.items.contains(flow.parent)) }
    }

    @Test func `dependencies are renumbered, and references to missing todos are dropped`() {
        let todo = { (id: UInt64, after: [UInt64]) in Todo(id: id, title: "\(id)", after: after) }
        let origin = Todos.State(items: [todo(1, []), todo(2, [1])], nextID: 3)
        let end = Todos.State(items: [todo(1, [3]), todo(2, [1]), todo(3, [2, 5]), todo(4, [3, 1])], nextID: 6)
        let before = Todos.State(items: [todo(1, []), todo(2, [1]), todo(3, [])], nextID: 4)
        let carried = Todos.renumbered(end, since: origin, along: [ForkStretch(end: end, before: before)])
        #expect(carried.items.elements.map(\.id) == [1, 2, 4, 5])
        #expect(carried.items.elements.map(\.after) == [[4], [1], [2], [4, 1]])
    }

    @Test func `a free ID is kept, and a todo that an earlier stretch dropped gets an ID in the next one`() {
        let state = { (ids: [UInt64], next: UInt64) in Todos.State(items: ids.map { Todo(id: $0, title: "\($0)") }, nextID: next)
        }
        let origin = state([1], 2)
        // 3 was removed before the first stretch ended, and 4 was already taken there.
        let first = ForkStretch(end: state([1, 2, 4, 5], 6), before: state([1, 2], 3), after: state([1, 2, 3, 5], 6))
        let second = ForkStretch(end: state([1, 2, 3, 4, 9], 10), before: state([1, 2, 3, 6], 7))
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: [first, second])
        #expect([1, 2, 3, 4, 5, 6, 9].map { moved[$0] } == [1, 3, 7, 8, 5, nil, 9])
        let carried = Todos.renumbered(first.end, since: origin, along: [first])
        #expect(carried.items.elements.map(\.id) == [1, 3, 5] && carried.items.elements.map(\.title) == ["1", "2", "5"])
    }
}
