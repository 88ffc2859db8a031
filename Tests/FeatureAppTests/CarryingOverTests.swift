import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureTodos
import Fields
import Testing

/// States of forks, as another log takes them over.
@Suite struct CarryingOverTests {
    /// A log, and a fork that goes on from it otherwise.
    private func histories(_ seed: UInt64) -> (base: App.State, app: RandomApp, fork: RandomApp) {
        var app = RandomApp(seed)
        for _ in 0..<20 { app.step() }
        var fork = RandomApp(seed &+ 1_000)
        fork.state = app.state
        for _ in 0..<30 { fork.step() }
        return (app.state, app, fork)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func
        `a fork that is taken over where nothing came since is there as it was, but for its alerts and for what it asked and gave up`(
            seed: UInt64
        )
    {
        let (base, _, fork) = histories(seed)
        let carried = App.carriedOver(fork.state, since: base, along: [ForkLeg(end: fork.state, before: base)])
        let taken = App.takenBack(base, from: base, to: carried)
        var expected = fork.state
        expected.alerts = base.alerts
        for todo in fork.state.todos.items.elements {
            // What is gone never came.
            let came = { (id: UInt64) in id < base.todos.nextID || fork.state.todos.items.contains(id) }
            expected.todos.items.update(todo.id) {
                $0.after = todo.after.filter(came)
                if !came(todo.series) { $0.series = 0 }
            }
        }
        if expected.flows.timedOut >= base.flows.nextID { expected.flows.timedOut = base.flows.timedOut }
        #expect(taken.conflicts.isEmpty)
        #expect(taken.state.withoutNextIDs == expected.withoutNextIDs)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what both have added stays, each under an id of its own`(seed: UInt64) throws {
        var (base, app, fork) = histories(seed)
        for _ in 0..<30 { app.step() }
        let carried = App.carriedOver(fork.state, since: base, along: [ForkLeg(end: fork.state, before: app.state)])
        let taken = App.takenBack(app.state, from: base, to: carried).state
        for todo in app.state.todos.items.elements where todo.id >= base.todos.nextID {
            #expect(taken.todos.items[todo.id] == todo)
        }
        let moved = MovedIDs(
            of: \.todos.items, behind: \.todos.nextID, since: base, along: [ForkLeg(end: fork.state, before: app.state)])
        for todo in fork.state.todos.items.elements where todo.id >= base.todos.nextID {
            var expected = todo
            expected.id = try #require(moved[todo.id])
            expected.after = todo.after.compactMap { moved[$0] }
            expected.series = moved[todo.series] ?? 0
            #expect(expected.id >= app.state.todos.nextID)
            // Of those that recur one goes on, and that is the one that is here.
            let goesOn = { (todo: Todo) in todo.completed == nil && !todo.every.isEmpty }
            let series = expected.series
            let isTwin = app.state.todos.items.elements.contains { goesOn($0) && ($0.series == series || $0.id == series) }
            #expect(taken.todos.items[expected.id] == (series > 0 && goesOn(todo) && isTwin ? nil : expected))
        }
        for flow in carried.flows.items.elements where flow.parent > 0 { #expect(carried.flows.items.contains(flow.parent)) }
    }

    @Test func `a todo comes after the same ones under their new ids, and after none that never came`() {
        let todo = { (id: UInt64, after: [UInt64]) in Todo(id: id, title: "\(id)", after: after) }
        let origin = Todos.State(items: [todo(1, []), todo(2, [1])], nextID: 3)
        let end = Todos.State(items: [todo(1, [3]), todo(2, [1]), todo(3, [2, 5]), todo(4, [3, 1])], nextID: 6)
        let before = Todos.State(items: [todo(1, []), todo(2, [1]), todo(3, [])], nextID: 4)
        let carried = Todos.carriedOver(end, since: origin, along: [ForkLeg(end: end, before: before)])
        #expect(carried.items.elements.map(\.id) == [1, 2, 4, 5])
        #expect(carried.items.elements.map(\.after) == [[4], [1], [2], [4, 1]])
    }

    @Test func `an id stays where it is free, and what did not come with an earlier leg gets one with the next`() {
        let state = { (ids: [UInt64], next: UInt64) in Todos.State(items: ids.map { Todo(id: $0, title: "\($0)") }, nextID: next)
        }
        let origin = state([1], 2)
        // 3 was gone again when the first leg ended, and 4 found no room there.
        let first = ForkLeg(end: state([1, 2, 4, 5], 6), before: state([1, 2], 3), after: state([1, 2, 3, 5], 6))
        let second = ForkLeg(end: state([1, 2, 3, 4, 9], 10), before: state([1, 2, 3, 6], 7))
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: [first, second])
        #expect([1, 2, 3, 4, 5, 6, 9].map { moved[$0] } == [1, 3, 7, 8, 5, nil, 9])
        let carried = Todos.carriedOver(first.end, since: origin, along: [first])
        #expect(carried.items.elements.map(\.id) == [1, 3, 5] && carried.items.elements.map(\.title) == ["1", "2", "5"])
    }
}
