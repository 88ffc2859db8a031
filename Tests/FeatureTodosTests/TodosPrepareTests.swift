import Chronicle
import FeatureTodos
import Testing

@Suite struct TodosPrepareTests {
    let three = Todos.State(items: [milk, dog, car])

    @Test(arguments: ["", "ab", "  ab \n", "e\u{301}", "👍🏽👍🏽", "   "])
    func `a title of less than three characters is refused`(title: String) {
        #expect(refusal(of: .add([Todo(title: title)]), in: three) == "TitleTooShort")
        #expect(refusal(of: .edit(1, TodoChanges(title: title)), in: three) == "TitleTooShort")
        #expect(refusal(of: .submit, in: Todos.State(items: [], draft: title)) == "TitleTooShort")
    }

    @Test(arguments: ["abc", " abc\u{3000}", "👍🏽👍🏽👍🏽", "a b", "\u{2028}x\u{301}yz\t\r\n"])
    func `a title of three characters is trimmed and added`(title: String) throws {
        var state = Todos.State()
        try state.dispatch(.add([Todo(title: title)]))
        let added = try #require(state.items[1]?.title)
        #expect(added.count == 3)
        #expect(added.first?.isWhitespace == false && added.last?.isWhitespace == false)
    }

    @Test func `tags that look alike but have different bytes are different`() throws {
        let tags = ["\u{E9}", "e\u{301}", "\u{E9}"]
        guard case .add(let added)? = try Todos.prepare(.add([Todo(title: "one", tags: tags)]), three, .test).first else {
            Issue.record("nothing was added")
            return
        }
        #expect(added.first?.tags.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test func `an edit that changes nothing logs nothing, and one that changes only the bytes is logged`() throws {
        let state = Todos.State(items: [Todo(id: 1, title: "Caf\u{E9}", note: "x", tags: ["home"])])
        #expect(try Todos.prepare(.edit(1, TodoChanges(title: " Caf\u{E9}", note: "x", tags: ["home"])), state, .test) == [])
        let other = Todos.Action.edit(1, TodoChanges(title: "Cafe\u{301}"))
        #expect(try Todos.prepare(other, state, .test).count == 1)
    }

    @Test func `added todos get the next ids and the time, in order`() throws {
        let logged = try Todos.prepare(.add([Todo(title: " one "), Todo(title: "two", tags: [" x", "x "])]), three, .test)
        let time = Context.test.time
        #expect(
            logged == [.add([Todo(id: 4, title: "one", created: time), Todo(id: 5, title: "two", tags: ["x"], created: time)])])
        #expect(logged.flatMap(Todos.created) == [4, 5])
    }

    @Test func `one invalid title refuses the whole batch`() {
        #expect(refusal(of: .add([Todo(title: "fine"), Todo(title: "no")]), in: three) == "TitleTooShort")
    }

    @Test func `only the daemon assigns IDs and times`() {
        #expect(refusal(of: .add([Todo(id: 9, title: "nine")]), in: three) == "FieldNotAllowed")
        #expect(refusal(of: .add([Todo(title: "nine", created: 9)]), in: three) == "FieldNotAllowed")
        #expect(refusal(of: .add([Todo(title: "nine", completed: 0)]), in: three) == "FieldNotAllowed")
        #expect(refusal(of: .clearCompleted([1]), in: three) == "FieldNotAllowed")
    }

    @Test func `submitting adds the draft at the top and clears it`() throws {
        var state = three
        try state.dispatch(.updateText("  Call mum "))
        #expect(try Todos.prepare(.submit, state, .test).count == 2)
        try state.dispatch(.submit)
        #expect(state.titles == ["Call mum", "Buy the milk", "Take my dog", "Rent a car"])
        #expect(state.draft.isEmpty)
        #expect(refusal(of: .submit, in: state) == "TitleTooShort")
    }

    @Test func `every edit of the draft is logged, even without a change`() throws {
        let state = Todos.State(items: [], draft: "abc")
        #expect(try Todos.prepare(.updateText("abc"), state, .test) == [.updateText("abc")])
    }

    @Test func `an index is logged as the ID at that index`() throws {
        #expect(try Todos.prepare(.removeAt(index: 1), three, .test) == [.remove(2)])
        #expect(refusal(of: .removeAt(index: 3), in: three) == "UnknownIndex")
        #expect(refusal(of: .removeAt(index: -1), in: three) == "UnknownIndex")
        #expect(Todos.indexedScope(of: .removeAt(index: 1)) == ScopeSet(index: 0))
        #expect(Todos.indexedScope(of: .remove(1)).isEmpty)
    }

    @Test(
        arguments: [
            .edit(9, TodoChanges(note: "x")), .complete(9), .reopen(9), .remove(9), .move(9, to: 0), .remove(0), .remove(.max),
        ] as [Todos.Action])
    func `an unknown id is refused`(action: Todos.Action) {
        #expect(refusal(of: action, in: three) == "UnknownID")
    }

    @Test(
        arguments: [
            .add([]), .reopen(1), .move(1, to: 0), .move(3, to: 9), .edit(1, TodoChanges()), .clearCompleted(), .putBack([]),
        ] as [Todos.Action])
    func `a command that would change nothing logs nothing`(action: Todos.Action) throws {
        #expect(try Todos.prepare(action, three, .test) == [])
    }

    @Test func `completing again logs nothing and keeps the first time`() throws {
        var state = three
        try state.dispatch(.complete(1))
        #expect(state.items[1]?.completed == Context.test.time)
        #expect(try Todos.prepare(.complete(1), state, .test) == [])
        try state.dispatch(.reopen(1))
        #expect(state == three)
    }

    @Test func `completing accepts a time`() throws {
        #expect(try Todos.prepare(.complete(1, at: 5), three, .test) == [.complete(1, at: 5)])
        #expect(try Todos.prepare(.complete(1), three, .test) == [.complete(1, at: Context.test.time)])
    }

    @Test func `clearing logs the IDs of the completed todos`() throws {
        var state = three
        try state.dispatch(.complete(3))
        try state.dispatch(.complete(1))
        #expect(try Todos.prepare(.clearCompleted(), state, .test) == [.clearCompleted([1, 3])])
    }

    @Test func `only removed todos can be restored`() throws {
        var state = three
        try state.dispatch(.remove(2))
        #expect(refusal(of: .putBack([PlacedTodo(milk, at: 0)]), in: state) == "IDInUse")
        #expect(refusal(of: .putBack([PlacedTodo(dog, at: 0), PlacedTodo(dog, at: 0)]), in: state) == "IDInUse")
        #expect(refusal(of: .putBack([PlacedTodo(Todo(id: 4, title: "four"), at: 0)]), in: state) == "IDNotHandedOut")
        #expect(refusal(of: .putBack([PlacedTodo(Todo(title: "none"), at: 0)]), in: state) == "IDNotHandedOut")
        #expect(refusal(of: .putBack([PlacedTodo(dog, at: -1)]), in: state) == "UnknownIndex")
        try state.dispatch(.putBack([PlacedTodo(dog, at: 1)]))
        #expect(state == three)
    }

    @Test func `a todo with a short loaded title can be restored`() throws {
        var state = Todos.State(items: [Todo(id: 1, title: "2")])
        let before = state
        try state.dispatch(.remove(1))
        try state.dispatch(.putBack([PlacedTodo(Todo(id: 1, title: "2"), at: 0)]))
        #expect(state == before)
    }

    @Test func `restoring a todo has the same rules as adding and editing`() throws {
        var state = three
        try state.dispatch(.remove(2))
        let (nine, ten) = (Due("2026-11-27T09:00"), Due("2026-11-27T10:00"))
        let hour: Int64 = 3_600_000_000
        for (todo, name) in [
            (Todo(id: 2, title: "Walk the dog", due: ten, remindBefore: .max), "BadReminder"),
            (Todo(id: 2, title: "Walk the dog", due: ten, remindBefore: -1), "BadReminder"),
            (Todo(id: 2, title: "Walk the dog", remindBefore: hour), "BadReminder"),
            (Todo(id: 2, title: "Walk the dog", due: ten, remind: ten, remindBefore: hour), "BadReminder"),
            (Todo(id: 2, title: "Walk the dog", tags: [" "]), "TagEmpty"),
        ] {
            #expect(refusal(of: .putBack([PlacedTodo(todo, at: 0)]), in: state) == name)
        }
        let twice = Todo(id: 2, title: "dog", tags: ["home", " home"], due: ten, after: [3, 1, 3], remindBefore: hour)
        try state.dispatch(.putBack([PlacedTodo(twice, at: 0)]))
        let dog = try #require(state.items[2])
        #expect(dog.tags == ["home"] && dog.after == [3, 1] && dog.remind == nine && dog.remindBefore == hour)
        // The reminder is kept as it was.
        try state.dispatch(.remove(2))
        try state.dispatch(.putBack([PlacedTodo(dog, at: 0)]))
        #expect(state.items[2] == dog)
        try state.dispatch(.edit(2, TodoChanges(due: .clear)))
    }

    @Test func `restored todos that would form a cycle are refused`() throws {
        var state = Todos.State(items: (1...4).map { Todo(id: $0, title: "Todo \($0)") })
        try state.dispatch(.remove(1))
        try state.dispatch(.edit(2, TodoChanges(after: [1])))
        func placed(_ id: UInt64, after others: [UInt64]) -> PlacedTodo {
            PlacedTodo(Todo(id: id, title: "Todo \(id)", after: others), at: 0)
        }
        func ring(_ placed: PlacedTodo...) -> String? {
            do throws(Refusal) { _ = try Todos.prepare(.putBack(placed), state, .test) } catch {
                return error.name == "DependencyRing" ? error.message : error.name
            }
            return nil
        }
        #expect(ring(placed(1, after: [2])) == "these would wait for each other: 1 after 2 after 1")
        #expect(ring(placed(1, after: [3])) == nil)
        try state.dispatch(.remove(2))
        #expect(ring(placed(1, after: [2])) == nil)
        let both = [placed(1, after: [3, 2]), placed(2, after: [1])]
        #expect(ring(both[0], both[1]) == "these would wait for each other: 2 after 1 after 2")
        #expect(ring(both[1], both[0]) == "these would wait for each other: 1 after 2 after 1")
        #expect(ring(placed(1, after: [2]), placed(2, after: [3])) == nil)
    }

    @Test func `dependencies must exist and are deduplicated`() throws {
        var state = three
        try state.dispatch(.remove(3))
        try state.dispatch(.edit(1, TodoChanges(after: [3, 2, 3])))
        #expect(state.items[1]?.after == [3, 2])
        try state.dispatch(.add([Todo(title: "Hang the picture", after: [1])]))
        #expect(state.items[4]?.after == [1])
        #expect(refusal(of: .edit(1, TodoChanges(after: [2, 1])), in: state) == "DependsOnItself")
        #expect(refusal(of: .edit(1, TodoChanges(after: [5])), in: state) == "IDNotHandedOut")
        #expect(refusal(of: .add([Todo(title: "Its own id is the next", after: [5])]), in: state) == "IDNotHandedOut")
        #expect(refusal(of: .edit(1, TodoChanges(after: Array(repeating: 2, count: 32))), in: state) == nil)
        #expect(refusal(of: .edit(1, TodoChanges(after: Array(repeating: 2, count: 33))), in: state) == "TooManyDependencies")
        let hung = try #require(state.items[4])
        try state.dispatch(.remove(4))
        for (other, name) in [(4, "DependsOnItself"), (9, "IDNotHandedOut")] as [(UInt64, String)] {
            let placed = PlacedTodo(Todo(id: 4, title: "four", after: [other]), at: 0)
            #expect(refusal(of: .putBack([placed]), in: state) == name)
        }
        try state.dispatch(.putBack([PlacedTodo(hung, at: 0)]))
        #expect(state.items[4] == hung)
        try state.dispatch(.edit(4, TodoChanges(after: [])))
        #expect(state.items[4]?.after == [])
    }

    @Test func `a dependency cycle is refused, and the refusal names it`() throws {
        var state = Todos.State(items: (1...20).map { Todo(id: $0, title: "Todo \($0)") })
        try state.dispatch(.edit(2, TodoChanges(after: [1])))
        let direct = #expect(throws: Refusal.self) { try Todos.prepare(.edit(1, TodoChanges(after: [2])), state, .test) }
        #expect(direct?.name == "DependencyRing")
        #expect(direct?.message == "these would wait for each other: 1 after 2 after 1")
        try state.dispatch(.edit(3, TodoChanges(after: [20, 2])))
        let long = #expect(throws: Refusal.self) { try Todos.prepare(.edit(1, TodoChanges(after: [9, 3])), state, .test) }
        #expect(long?.message == "these would wait for each other: 1 after 3 after 2 after 1")
        #expect(refusal(of: .edit(1, TodoChanges(after: [9])), in: state) == nil)
        // Removing a dependency breaks the cycle.
        try state.dispatch(.edit(2, TodoChanges(after: [])))
        #expect(refusal(of: .edit(1, TodoChanges(after: [3])), in: state) == nil)
    }

    @Test func `an existing cycle does not delay the check, and a very long cycle is not detected`() throws {
        var state = Todos.State(items: (1...1_000).map { Todo(id: $0, title: "Todo \($0)") })
        for id in 2...3 as ClosedRange<UInt64> { _ = Todos.reduce(&state, .edit(id, TodoChanges(after: [5 - id])), .test) }
        #expect(refusal(of: .edit(1, TodoChanges(after: [2])), in: state) == nil)
        for id in 5...1_000 as ClosedRange<UInt64> { _ = Todos.reduce(&state, .edit(id, TodoChanges(after: [id - 1])), .test) }
        #expect(refusal(of: .edit(4, TodoChanges(after: [100])), in: state) == "DependencyRing")
        #expect(refusal(of: .edit(4, TodoChanges(after: [1_000])), in: state) == nil)
    }

    @Test func `an imported todo keeps its past times and a short title`() throws {
        var state = Todos.State()
        let origin = TodoOrigin(source: "todotxt:1")
        let now = Context.test.time
        try state.dispatch(.add([Todo(title: " x ", origin: origin, created: now - 20, completed: now - 10)]))
        #expect(state.items[1] == Todo(id: 1, title: "x", origin: origin, created: now - 20, completed: now - 10))
        try state.dispatch(.add([Todo(title: "y", origin: origin, created: now + 20, completed: now + 30)]))
        #expect(state.items[2] == Todo(id: 2, title: "y", origin: origin, created: now, completed: now))
        try state.dispatch(.add([Todo(title: "z", origin: origin)]))
        #expect(state.items[3] == Todo(id: 3, title: "z", origin: origin, created: now))
        try state.dispatch(.edit(3, TodoChanges(title: "zz")))
        #expect(state.items[3]?.title == "zz")
        #expect(refusal(of: .add([Todo(title: " ", origin: origin)]), in: state) == "TitleTooShort")
        #expect(refusal(of: .add([Todo(id: 4, title: "four", origin: origin)]), in: state) == "FieldNotAllowed")
        try state.dispatch(.edit(3, TodoChanges(origin: TodoOrigin())))
        #expect(refusal(of: .edit(3, TodoChanges(title: "z")), in: state) == "TitleTooShort")
        let many = TodoOrigin(source: "a", attributes: Array(repeating: OriginAttribute("a", "b"), count: 65))
        #expect(refusal(of: .edit(1, TodoChanges(origin: many)), in: state) == "OriginTooLarge")
        let wordy = TodoOrigin(source: "a", said: Array(repeating: "due", count: 97))
        #expect(refusal(of: .edit(1, TodoChanges(origin: wordy)), in: state) == "OriginTooLarge")
        let long = TodoOrigin(source: String(repeating: "x", count: 65_537))
        #expect(refusal(of: .edit(1, TodoChanges(origin: long)), in: state) == "OriginTooLarge")
        #expect(refusal(of: .putBack([PlacedTodo(Todo(id: 2, title: "y", origin: long), at: 0)]), in: state) == "IDInUse")
        try state.dispatch(.remove(2))
        #expect(refusal(of: .putBack([PlacedTodo(Todo(id: 2, title: "y", origin: long), at: 0)]), in: state) == "OriginTooLarge")
    }

    @Test func `a value above a limit is refused by name`() {
        let long = { (count: Int) in String(repeating: "x", count: count) }
        #expect(refusal(of: .add([Todo(title: long(4096))]), in: three) == nil)
        #expect(refusal(of: .add([Todo(title: long(4097))]), in: three) == "TitleTooLong")
        #expect(refusal(of: .edit(1, TodoChanges(note: long(65_537))), in: three) == "NoteTooLong")
        #expect(refusal(of: .edit(1, TodoChanges(tags: [long(257)])), in: three) == "TagTooLong")
        #expect(refusal(of: .edit(1, TodoChanges(tags: [" "])), in: three) == "TagEmpty")
        #expect(refusal(of: .edit(1, TodoChanges(tags: Array(repeating: "x", count: 65))), in: three) == "TooManyTags")
        #expect(refusal(of: .updateText(long(65_537)), in: three) == "DraftTooLong")
        let last = Todos.State(items: [Todo(id: ElementID.range.upperBound, title: "last")])
        #expect(refusal(of: .add([Todo(title: "one more")]), in: last) == "IDsExhausted")
    }
}
