import Chronicle
import FeatureTodos
import Testing

@Suite struct TodosRecurringTests {
    /// Friday 20 November 2026, noon in UTC.
    private static let today = Context.test

    private static func plants(every: String, due: String? = "2026-11-20", wait: String? = nil) -> Todos.State {
        let todo = Todo(
            id: 1, title: "Water the plants", note: "all", tags: ["home"], priority: .high, due: due.flatMap { Due($0) },
            wait: wait.flatMap { Due($0) }, after: [2], every: every, created: 10)
        return Todos.State(items: [todo, dog])
    }

    @Test func `completing a recurring todo adds the next one after it, without dependencies`() throws {
        let state = Self.plants(every: "every monday", due: "2026-11-20T09:00")
        let next = Todo(
            id: 3, title: "Water the plants", note: "all", tags: ["home"], priority: .high, due: Due("2026-11-23T09:00"),
            every: "every monday", series: 1, created: Self.today.time)
        let logged = try Todos.prepare(.complete(1), state, Self.today)
        #expect(logged == [.complete(1, at: Self.today.time), .add([next])])
        #expect(logged.flatMap(Todos.created) == [3])
        var after = state
        for action in logged { after.reduce(action) }
        #expect(after.items.elements.map(\.id) == [3, 1, 2])
        #expect(after.items[1]?.completed == Self.today.time && after.items[1]?.every == "" && after.items[3] == next)
    }

    @Test func `the day of completion is the client's, or by default the day in UTC`() throws {
        func due(_ day: String?) throws -> String? {
            var state = Self.plants(every: "every day")
            try state.dispatch(.complete(1, day: day.flatMap { Due($0) }))
            return state.items[3]?.due?.text
        }
        #expect(try due(nil) == "2026-11-21")
        #expect(try due("2026-11-21") == "2026-11-22")
        #expect(try due("2026-11-21T23:59") == "2026-11-22")
        #expect(try due("2026-11-19") == "2026-11-21")
        let once = try Todos.prepare(.complete(1, day: Due("2026-11-21")), Self.plants(every: ""), .test)
        #expect(once == [.complete(1, at: Context.test.time)])
        let before = Context(time: -1, origin: 1000)
        var state = Self.plants(every: "1 week after done", due: nil)
        try state.dispatch(.complete(1), before)
        #expect(state.items[3]?.due?.text == "1970-01-07")
    }

    @Test func `a day of completion near the log's or the machine's clock is accepted`() throws {
        let (time, day): (Int64, Int64) = (Context.test.time, 86_400_000_000)
        func due(_ context: Context, _ every: String) throws -> String? {
            var state = Self.plants(every: every)
            try state.dispatch(.complete(1, day: Due("2026-11-20")), context)
            return state.items[3]?.due?.text
        }
        for apart in [-30 * day, 365 * day] {
            let misled = Context(time: time + apart, wallTime: time, origin: 1000)
            #expect(try due(misled, "3 days after done") == "2026-11-23")
            #expect(try due(misled, "every day") == "2026-11-21")
            #expect(try due(Context(time: time, wallTime: time + apart, origin: 1000), "every day") == "2026-11-21")
        }
        #expect(try due(Context(time: time + 365 * day, origin: 1000), "every day") == "2027-11-21")
    }

    @Test func `the wait date moves with the due date, or alone without one`() throws {
        var state = Self.plants(every: "every month", wait: "2026-11-15T08:00")
        try state.dispatch(.complete(1))
        #expect(state.items[3]?.due?.text == "2026-12-20" && state.items[3]?.wait?.text == "2026-12-15T08:00")
        state = Self.plants(every: "every month", due: nil, wait: "2026-11-15T08:00")
        try state.dispatch(.complete(1))
        #expect(state.items[3]?.due == nil && state.items[3]?.wait?.text == "2026-12-15T08:00")
        state = Self.plants(every: "every monday", due: nil)
        try state.dispatch(.complete(1))
        #expect(state.items[3]?.due?.text == "2026-11-23" && state.items[3]?.wait == nil)
    }

    @Test func `a shorter month does not change a rule`() throws {
        var state = Self.plants(every: "every month", due: "2027-01-31")
        try state.dispatch(.complete(1))
        try state.dispatch(.complete(3))
        #expect(state.items[3]?.due?.text == "2027-02-28" && state.items[4]?.due?.text == "2027-03-31")
        #expect(state.items[4]?.every == "every month on the 31st")
    }

    @Test func `completing a todo twice, or again after reopening it, adds one next todo`() throws {
        var state = Self.plants(every: "every day")
        try state.dispatch(.complete(1))
        #expect(try Todos.prepare(.complete(1), state, .test) == [])
        try state.dispatch(.reopen(1))
        #expect(state.items[1]?.every == "" && state.items.count == 3)
        try state.dispatch(.complete(1))
        #expect(state.items.count == 3 && state.items.elements.filter { !$0.every.isEmpty }.map(\.id) == [3])
    }

    @Test func `several recurring todos of one dispatch each get a next todo`() throws {
        var state = Todos.State(items: (1...40).map { Todo(id: $0, title: "Todo \($0)", every: "every day") })
        for id in 1...40 as ClosedRange<UInt64> { try state.dispatch(.complete(id)) }
        #expect(state.items.count == 80 && state.nextID == 81)
        #expect(state.items.elements.filter { !$0.isCompleted }.map(\.id) == Array((41...80 as ClosedRange<UInt64>).reversed()))
    }

    @Test func `completing at a given time adds no next todo and removes the rule`() throws {
        var state = Self.plants(every: "every day")
        #expect(try Todos.prepare(.complete(1, at: 5), state, .test) == [.complete(1, at: 5)])
        try state.dispatch(.complete(1, at: 5))
        #expect(state.items.count == 2 && state.items[1]?.every == "")
    }

    @Test func `a rule is logged in its canonical form, and an invalid rule is refused`() throws {
        var state = Todos.State(items: [milk])
        try state.dispatch(.edit(1, TodoChanges(every: "Other  MONDAY")))
        #expect(state.items[1]?.every == "every 2 weeks on monday")
        try state.dispatch(.add([Todo(title: "Pay the rent", every: "monthly")]))
        #expect(state.items[2]?.every == "every month")
        try state.dispatch(.edit(1, TodoChanges(every: "")))
        #expect(state.items[1] == milk)
        let long = String(repeating: " ", count: 300) + "every day"
        for text in ["soon", "every monday 9:00", " ", long] {
            #expect(refusal(of: .edit(1, TodoChanges(every: text)), in: state) == "BadRecurrence")
            #expect(refusal(of: .add([Todo(title: "Pay the rent", every: text)]), in: state) == "BadRecurrence")
        }
        let rent = try #require(state.items[2])
        try state.dispatch(.remove(2))
        let placed = PlacedTodo(Todo(id: 2, title: "Pay", every: "soon"), at: 0)
        #expect(refusal(of: .putBack([placed]), in: state) == "BadRecurrence")
        try state.dispatch(.putBack([PlacedTodo(rent, at: 0)]))
        #expect(state.items[2] == rent)
    }

    @Test func `the fold does not evaluate rules`() {
        var state = Self.plants(every: "soon")
        #expect(Todos.reduce(&state, .complete(1, at: 7), .test).isEmpty)
        #expect(state.items[1]?.completed == 7 && state.items[1]?.every == "" && state.items.count == 2)
    }

    @Test func `completing a recurring todo is refused without a free ID`() {
        var state = Self.plants(every: "every day")
        state.nextID = ElementID.range.upperBound + 1
        #expect(refusal(of: .complete(1), in: state) == "IDsExhausted")
        #expect(refusal(of: .complete(2), in: state) == nil)
    }

    @Test func `the next todo may have a short loaded title`() throws {
        var state = Todos.State(items: [Todo(id: 1, title: "Go", every: "every day")])
        try state.dispatch(.complete(1))
        #expect(state.items[2]?.title == "Go")
    }

    @Test func `undoing a completion removes the next todo, and redoing restores it`() throws {
        let before = Self.plants(every: "every day")
        var after = before
        try after.dispatch(.complete(1))
        for (from, to) in [(before, after), (after, before)] {
            var state = from
            for action in try Todos.compensatingActions(from: from, to: to) { state.reduce(action) }
            #expect(state.items == to.items)
        }
        let back = Todos.reverted(after, from: after, to: before)
        #expect(back.conflicts.isEmpty && back.state.items == before.items)
        // A rule that was given to a completed todo stays with it.
        var odd = after
        odd.reduce(.edit(1, TodoChanges(every: "every week")))
        var state = before
        for action in try Todos.compensatingActions(from: before, to: odd) { state.reduce(action) }
        #expect(state.items == odd.items)
    }

    private func idsGoingOn(_ state: Todos.State) -> [UInt64] {
        state.items.elements.filter { !$0.isCompleted && !$0.every.isEmpty }.map(\.id)
    }

    @Test func `the todos of a series refer to the first one`() throws {
        var state = Self.plants(every: "every day")
        for id in [1, 3, 4] as [UInt64] { try state.dispatch(.complete(id)) }
        #expect([1, 3, 4, 5].map { state.items[$0]?.series } == [0, 1, 1, 1])
        #expect(refusal(of: .add([Todo(title: "Water the plants", series: 1)]), in: state) == "FieldNotAllowed")
    }

    @Test func `merging a completion in both logs keeps one next todo`() throws {
        let origin = Self.plants(every: "every day")
        var (fork, present) = (origin, origin)
        try fork.dispatch(.complete(1))
        try fork.dispatch(.add([Todo(title: "Buy a pot")]))
        try present.dispatch(.complete(1), Context(time: Context.test.time + 1, origin: 1000))
        let stretches = [ForkStretch(end: fork, before: present)]
        let from = Todos.renumbered(origin, since: origin, along: stretches)
        let to = Todos.renumbered(fork, since: origin, along: stretches)
        let merged = Todos.reverted(present, from: from, to: to)
        #expect(idsGoingOn(merged.state) == [3])
        #expect(merged.state.items[4] == nil && merged.state.items[5]?.title == "Buy a pot")
        #expect(merged.conflicts.contains { $0.path == "items[3]" })
        // If only the fork completed it, its next todo is kept.
        let alone = Todos.reverted(origin, from: origin, to: fork)
        #expect(alone.conflicts.isEmpty && idsGoingOn(alone.state) == [3])
    }

    @Test func `merging completions of many series keeps one next todo each`() throws {
        let names = (1...40).map { "Water plant \($0)" }
        var origin = Todos.State()
        try origin.dispatch(.add(names.map { Todo(title: $0, every: "every day") }))
        var (fork, present) = (origin, origin)
        // In different orders, and the origin completes only every other todo.
        for id in 1...40 as ClosedRange<UInt64> { try fork.dispatch(.complete(id)) }
        for id in (1...20 as ClosedRange<UInt64>).reversed() { try present.dispatch(.complete(2 * id)) }
        let here = Set(idsGoingOn(present)).subtracting(1...40)
        let stretches = [ForkStretch(end: fork, before: present)]
        let from = Todos.renumbered(origin, since: origin, along: stretches)
        let to = Todos.renumbered(fork, since: origin, along: stretches)
        let merged = Todos.reverted(present, from: from, to: to)
        let going = merged.state.items.elements.filter { !$0.isCompleted && !$0.every.isEmpty }
        #expect(going.map(\.series).sorted() == Array(1...40))
        #expect(here.count == 20 && here.isSubset(of: going.map(\.id)))
        #expect(here.allSatisfy { id in merged.conflicts.contains { $0.path == "items[\(id)]" } })
    }

    @Test func `a merged todo refers to the renumbered first todo of its series`() throws {
        let origin = Self.plants(every: "")
        var (fork, present) = (origin, origin)
        try fork.dispatch(.add([Todo(title: "Feed the cat", every: "every day")]))
        try fork.dispatch(.complete(3))
        try present.dispatch(.add([Todo(title: "Buy a pot")]))
        let carried = Todos.renumbered(fork, since: origin, along: [ForkStretch(end: fork, before: present)])
        #expect(fork.items[4]?.series == 3)
        #expect(carried.items[5]?.series == 4 && carried.items[4]?.title == "Feed the cat")
    }

    @Test func `a restored todo recurs only if no other todo of its series does`() throws {
        let past = Self.plants(every: "every day")
        var present = past
        try present.dispatch(.complete(1))
        for isThere in [true, false] {
            if !isThere { try present.dispatch(.remove(1)) }
            let restored = try #require(Todos.restored([.name("items"), .id(1)], in: present, from: past))
            #expect(restored.items[1]?.isCompleted == false && idsGoingOn(restored) == [3])
        }
        try present.dispatch(.remove(3))
        let restored = try #require(Todos.restored([.name("items"), .id(1)], in: present, from: past))
        #expect(restored.items[1] == past.items[1])
        let list = try #require(Todos.restored([.name("items")], in: present, from: past))
        #expect(list.items == past.items)
    }

    @Test func `the rule alone is restored only if no other todo of the series has it`() throws {
        let past = Self.plants(every: "every day")
        var present = past
        try present.dispatch(.complete(1))
        let rule: [PlaceStep] = [.name("items"), .id(1), .name("every")]
        #expect(Todos.restored(rule, in: present, from: past) == nil)
        var given = present
        given.reduce(.edit(1, TodoChanges(every: "every week")))
        let opened = try #require(Todos.restored([.name("items"), .id(1), .name("completed")], in: given, from: past))
        #expect(opened.items[1]?.isCompleted == false && idsGoingOn(opened) == [3])
        try present.dispatch(.remove(3))
        #expect(Todos.restored(rule, in: present, from: past)?.items[1]?.every == "every day")
    }

    /// Reverts the changes between two states and ignores conflicts.
    private func takeBack(_ present: inout Todos.State, from after: Todos.State, to before: Todos.State) throws {
        let wanted = Todos.reverted(present, from: after, to: before).state
        for action in try Todos.compensatingActions(from: present, to: wanted) { present.reduce(action) }
        #expect(present.items == wanted.items)
    }

    @Test func `a removed todo returns without its rule if a later one has it`() throws {
        let first = Self.plants(every: "every day")
        var done = first
        try done.dispatch(.complete(1))
        var state = done
        try state.dispatch(.remove(3))
        let removed = state
        try takeBack(&state, from: done, to: first)
        #expect(idsGoingOn(state) == [1])
        // The same if an earlier todo of the series has the rule again.
        var earlier = state
        try takeBack(&earlier, from: removed, to: done)
        #expect(earlier.items[3]?.isCompleted == false && idsGoingOn(earlier) == [1])
        try state.dispatch(.complete(1))
        try takeBack(&state, from: removed, to: done)
        #expect(state.items[3]?.isCompleted == false && idsGoingOn(state) == [4])
    }

    @Test func `a reopened todo has no rule if the series continued`() throws {
        let first = Self.plants(every: "every day")
        var done = first
        try done.dispatch(.complete(1))
        var state = done
        try state.dispatch(.complete(3))
        try takeBack(&state, from: done, to: first)
        #expect(state.items[1]?.isCompleted == false && idsGoingOn(state) == [4])
    }

    @Test func `two todos that both had a rule get it back`() throws {
        var both = Self.plants(every: "every day")
        try both.dispatch(.complete(1))
        try both.dispatch(.reopen(1))
        try both.dispatch(.edit(1, TodoChanges(every: "every week")))
        for id in [1, 3] as [UInt64] {
            var state = both
            try state.dispatch(.remove(id))
            let removed = state
            try takeBack(&state, from: removed, to: both)
            #expect(idsGoingOn(state) == [3, 1])
        }
    }
}
