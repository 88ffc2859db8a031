import Chronicle
import ChronicleLog
import ChronicleTesting
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@testable import ChronicleStore

/// Tests of conditions that every state must meet.
@Suite struct InvariantTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func set(_ name: String, _ text: String, at desk: Desk) async throws {
        _ = try await desk.store.setInvariant(name, try Expression(text, of: App.shape), by: 0)
    }

    private func holds(_ name: String, at desk: Desk) async throws -> Bool? {
        try await desk.store.invariants().first { $0.invariant.name == name }?.holds
    }

    @Test func `a dispatch that would break an invariant is refused and logs nothing`() async throws {
        try await Desk.open { desk in
            try await set("few", "count(todos.items) <= 2", at: desk)
            try await desk.do(add("Milk", "Bread"))
            let head = desk.head
            let end = await #expect(throws: StoreError.self) { try await desk.do(.counter(.increment), add("Eggs")) }
            guard case .invariantBroken("few", "count(todos.items) <= 2", let changes)? = end else {
                Issue.record("\(String(describing: end))")
                return
            }
            #expect(changes.contains { $0.kind == .insert } && desk.head == head && desk.state.counter.count == 0)
            try await desk.do(.todos(.remove(1)), add("Eggs"))
            _ = try await desk.store.removeInvariant("few", by: 0)
            try await desk.do(add("Tea", "Salt"))
            await #expect(throws: StoreError.unknownInvariant("few")) { try await desk.store.removeInvariant("few", by: 0) }
        }
    }

    @Test func `an invariant on elements is evaluated for added, removed and changed elements`() async throws {
        try await Desk.open { desk in
            try await set("titled", #"all(todo in todos.items: not contains(todo.title, "secret"))"#, at: desk)
            try await desk.do(add("Milk"))
            await #expect(throws: StoreError.self) { try await desk.do(.todos(.edit(1, TodoChanges(title: "A secret")))) }
            await #expect(throws: StoreError.self) { try await desk.do(add("Bread", "My secret")) }
            try await desk.do(.todos(.edit(1, TodoChanges(title: "Oat milk"))))
            #expect(try await holds("titled", at: desk) == true)
        }
    }

    @Test(arguments: [
        ("count(todo in todos.items: true) <= 1", 1), ("all(todo in todos.items: false)", 0),
        ("not any(todo in todos.items: 1 == 1)", 0),
    ])
    func `a loop that reads nothing of its elements is evaluated by their number`(text: String, mayBe: Int) async throws {
        try await Desk.open { desk in
            try await set("few", text, at: desk)
            for _ in 0..<mayBe { try await desk.do(add("Milk")) }
            await #expect(throws: StoreError.self) { try await desk.do(add("Bread")) }
            for id in 0..<UInt64(mayBe) { try await desk.do(.todos(.remove(id + 1))) }
            for _ in 0..<mayBe { try await desk.do(add("Milk")) }
            #expect(try await holds("few", at: desk) == true)
        }
    }

    @Test func `an undo that would break an invariant is refused`() async throws {
        try await Desk.open { desk in
            try await desk.do(add("Milk"))
            try await desk.do(.todos(.remove(1)))
            try await set("none", "count(todos.items) == 0", at: desk)
            let end = await desk.error()
            guard case .invariantBroken("none", _, _)? = end else {
                Issue.record("\(String(describing: end))")
                return
            }
            #expect(desk.state.todos.items.isEmpty)
        }
    }

    @Test func `a command whose result would break an invariant is parked until the invariant permits it`() async throws {
        try await Desk.open { desk in
            try await set("few", "count(todos.items) <= 1", at: desk)
            try await desk.do(.todos(.load))
            let id = try #require(try await desk.store.commands().first?.id)
            try await desk.store.submit(.begin(id, attempt: 1))
            let loaded = App.Action.todos(.loaded([Todo(title: "One more"), Todo(title: "And one")]))
            try await desk.store.submit(.end(id, loaded))
            let parked = try #require(try await desk.store.commands().first)
            #expect(parked.row.stage == .parked && parked.row.reason.contains("the invariant few"))
            #expect(desk.state.todos.items.isEmpty)
            _ = try await desk.store.removeInvariant("few", by: 0)
            try await desk.store.submit(.retry(id, by: 0))
            try await desk.store.submit(.begin(id, attempt: 1))
            try await desk.store.submit(.end(id, loaded))
            #expect(desk.state.todos.items.count == 2)
        }
    }

    @Test func `an invariant that does not hold yet applies once it does, and outlives restarts`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            try await desk.do(.counter(.decrement), .counter(.decrement))
            try await set("positive", "counter.count >= 0", at: desk)
            #expect(try await holds("positive", at: desk) == false)
            try await desk.do(.counter(.decrement))
            try await desk.do(.counter(.reset))
            await #expect(throws: StoreError.self) { try await desk.do(.counter(.decrement)) }
            #expect(try await desk.history.verify().damages.isEmpty)
        }
        try await Desk.open(log) { desk in
            #expect(desk.store.present.invariants.map(\.name) == ["positive"])
            await #expect(throws: StoreError.self) { try await desk.do(.counter(.decrement)) }
            try await desk.do(.counter(.increment))
        }
    }

    @Test func `a loop that was short-circuited is counted before its result is needed`() async throws {
        let expression = try Expression(#"counter.count < 9 or all(todo in todos.items: todo.title == "x")"#, of: App.shape)
        var state = App.State()
        for id in 1...500 {
            _ = App.reduce(&state, .todos(.add([Todo(id: UInt64(id), title: "Milk")])), Context(time: 1, origin: 0))
        }
        let tallies = try #require(expression.tallies)
        var evaluation = expression.evaluation(in: StateReading<App>(state), after: tallies, [])
        #expect(evaluation.advance(steps: .max) == true && evaluation.steps < 100)
        var known = try #require(evaluation.tallies)
        while var counting = expression.counting(known, in: StateReading<App>(state)) {
            while counting.advance(steps: .max) == nil {}
            known = try #require(counting.tallies)
        }
        state.counter.count = 9
        var next = expression.evaluation(in: StateReading<App>(state), after: known, [])
        #expect(next.advance(steps: .max) == false && next.steps < 100)
    }

    @Test(arguments: ["counter.count < 9", "counter.count > 9"])
    func `the initial evaluation of a large state is sliced and has the same result`(first: String) throws {
        let text = first + #" and all(todo in todos.items: todo.title == "Milk") or count(todos.items) > 1000"#
        let expression = try Expression(text, of: App.shape)
        var state = App.State()
        for id in 1...500 {
            _ = App.reduce(&state, .todos(.add([Todo(id: UInt64(id), title: "Milk")])), Context(time: 1, origin: 0))
        }
        var (look, turns) = (InitialEvaluation<App>("milk", expression, at: state), 1)
        while !look.advance(steps: 256) { turns += 1 }
        #expect(turns > 5 && look.invariant.holds == expression.holds(in: StateReading<App>(state)))
        // Everything is counted now, including the short-circuited part.
        let before = state
        state.counter.count = 10
        _ = App.reduce(&state, .todos(.add([Todo(id: 501, title: "Tea")])), Context(time: 1, origin: 0))
        var checker = InvariantChecker(look.invariant, in: before)
        checker.follow(to: state)
        #expect(checker.all.first?.holds == expression.holds(in: StateReading<App>(state)))
    }

    @Test func `a dispatch whose invariants take too many steps is refused, and a shorter one is not`() async throws {
        try await Desk.open { desk in
            try await set(
                "long",
                "all(a in todos.items: "
                    + (0..<20).map { #"not contains(a.note, "zq\#($0)")"# }
                    .joined(separator: " and ") + ")", at: desk)
            let todos = (0..<300).map { _ in Todo(title: "Milk", note: String(repeating: "z", count: 3_000)) }
            await #expect(throws: StoreError.invariantTooCostly("long")) { try await desk.do(.todos(.add(todos))) }
            try await desk.do(.todos(.add(Array(todos.prefix(20)))))
            #expect(desk.state.todos.items.count == 20)
        }
    }

    /// Each condition takes 225,000 of the 262,144 steps to look through the text.
    @Test(arguments: [
        (#"all(todo in todos.items: "#, "todo.note", ")"), ("", "todos.draft", ""),
    ])
    func `a dispatch of long texts that exceeds the steps is refused with the invariant's name, a shorter one is not`(
        begin: String, place: String, end: String
    ) async throws {
        let text = begin + (0..<15).map { #"lower(\#(place)) != "z\#($0)""# }.joined(separator: " and ") + end
        func action(_ text: String) -> App.Action {
            place == "todos.draft" ? .todos(.updateText(text)) : .todos(.add([Todo(title: "Milk", note: text)]))
        }
        let long = String(repeating: "Ä", count: 30_000)
        try await Desk.open { desk in
            for number in 0..<7 { try await set("short-\(number)", text, at: desk) }
            let head = desk.head
            await #expect(throws: StoreError.invariantTooCostly("short-1")) { try await desk.do(action(long)) }
            #expect(desk.head == head)
            try await desk.do(action("short"))
            for number in 1..<7 { _ = try await desk.store.removeInvariant("short-\(number)", by: 0) }
            try await desk.do(action(long))
            await #expect(throws: StoreError.self) { try await desk.do(action("Z3")) }
        }
    }

    @Test func `a failed flush restores the evaluation of invariants to the state on disk`() async throws {
        let log = FailingLog()
        try await Desk.open(log) { desk in
            func fail(_ body: () async throws -> Void) async {
                log.failNext(with: .storageFull(.disk, message: "full"))
                await #expect(throws: StoreError.storageFull("full")) { try await body() }
            }
            try await set("few", #"count(todo in todos.items: todo.title != "") <= 2"#, at: desk)
            try await desk.do(add("Milk"))
            await fail { try await desk.do(add("Bread")) }
            await fail { _ = try await desk.store.removeInvariant("few", by: 0) }
            await fail { try await set("none", "count(todos.items) <= 1", at: desk) }
            await #expect(throws: StoreError.self) { try await desk.do(add("Bread", "Eggs")) }
            try await desk.do(add("Bread"))
            #expect(desk.state.todos.items.count == 2 && desk.store.present.invariants.map(\.name) == ["few"])
        }
    }

    @Test func `the requirement of a dispatch is evaluated once, for its own outcome`() async throws {
        try await Desk.open { desk in
            let requirement = try Expression("counter.count < 2", of: App.shape)
            let increment = Dispatch([App.Action.counter(.increment)], origin: 1000, requirement: requirement)
            _ = try await desk.store.dispatch(increment)
            await #expect(throws: StoreError.requirementBroken("counter.count < 2")) { try await desk.store.dispatch(increment) }
            try await desk.do(.counter(.increment))
            #expect(desk.state.counter.count == 2)
        }
    }

    @Test(arguments: [
        ("count(todos.items) <= 3", true), (#"any(todo in todos.items: any(tag in todo.tags: tag == "a"))"#, true),
        ("all(todo in todos.items: todo.id > counter.count)", false),
    ])
    func `only a condition that can be evaluated incrementally may be an invariant`(text: String, isJudged: Bool) throws {
        #expect(try Expression(text, of: App.shape).isJudgedByChanges == isJudged)
    }

    /// In addition to the incremental evaluation, each state is evaluated as a whole.
    @Test(arguments: 0..<4) func `random dispatches never break an invariant, and none is refused without a reason`(seed: UInt64)
        async throws
    {
        var dice = SeededGenerator(seed)
        let texts = [
            "count(todos.items) <= 6", "counter.count >= 0 and counter.count < 5",
            #"count(todo in todos.items: todo.completed == null) <= 4"#, #"not any(todo in todos.items: todo.title == "Taboo")"#,
            "all(todo in todos.items: todo.priority < 3)", #"count(todo in todos.items: any(tag in todo.tags: tag == "c")) < 2"#,
            #"not contains(todos.items[3].title, "Taboo") and count(todos.items[2].tags) < 2"#,
            "count(todo in todos.items: true) <= 5", "all(todo in todos.items: 1 == 1) or counter.count < 4",
            "not any(todo in todos.items: 1 == 1) or counter.count > -4",
            "count(todos.items) < 9 or all(todo in todos.items: todo.id > 0 and todo.title != todo.note)",
            "count(todo in todos.items: count(todo.tags) > 1) <= 2",
            "all(todo in todos.items: todo.created + count(todo.tags) > 0)",
            #"not any(todo in todos.items: all(tag in todo.tags: tag < "d") and todo.completed != null and todo.title >= "N")"#,
            #"count(todo in todos.items: count(tag in todo.tags: tag == "b") == 1 and lower(todo.title) != "milk") < 3"#,
        ]
        try await Desk.open { desk in
            let expressions = try texts.map { try Expression($0, of: App.shape) }
            for (index, text) in texts.enumerated() { try await set("i\(index)", text, at: desk) }
            var refusals = 0
            for _ in 0..<250 {
                let id = UInt64.random(in: 1...UInt64(12), using: &dice)
                let actions: [App.Action] = [
                    .counter(.increment), .counter(.decrement), .counter(.reset), .todos(.remove(id)), .todos(.complete(id)),
                    .todos(.reopen(id)), .todos(.add([Todo(title: ["Milk", "Taboo", "Bread"].randomElement(using: &dice)!)])),
                    .todos(.edit(id, TodoChanges(title: ["Milk", "Taboo"].randomElement(using: &dice)!))),
                    .todos(.edit(id, TodoChanges(tags: ["a", Bool.random(using: &dice) ? "b" : "c"]))),
                ]
                let batch = (0..<Int.random(in: 1...3, using: &dice)).map { _ in actions.randomElement(using: &dice)! }
                var would: App.State? = desk.state
                for action in batch {
                    guard var state = would, let logged = try? App.prepare(action, state, Context(time: 1, origin: 1000)) else {
                        would = nil
                        continue
                    }
                    for action in logged { _ = App.reduce(&state, action, Context(time: 1, origin: 1000)) }
                    would = state
                }
                let mayBe = would.map { state in expressions.allSatisfy { $0.holds(in: StateReading<App>(state)) } }
                do {
                    _ = try await desk.store.dispatch(Dispatch(batch, origin: 1000))
                    #expect(mayBe == true)
                } catch let error as StoreError {
                    guard case .invariantBroken = error else {
                        #expect(would == nil, "\(error)")
                        continue
                    }
                    refusals += 1
                    #expect(mayBe == false)
                }
                #expect(expressions.allSatisfy { $0.holds(in: StateReading<App>(desk.state)) })
            }
            #expect(refusals > 10)
        }
    }
}
