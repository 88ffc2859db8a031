import FeatureTodos
import Fields
import Testing

@Suite struct TodosRemindingTests {
    private let nine = Due("2026-11-27T09:00")
    private let ten = Due("2026-11-27T10:00")

    /// How long after noon of 20 November it is that minute of the 27th where clocks are furthest ahead.
    private func microseconds(hour: Int64) -> Int64 { ((7 * 24 - 12 + hour) - 14) * 3_600_000_000 }

    private func commands(_ state: inout Todos.State, _ action: Todos.Action) -> [Todos.Command] {
        Todos.reduce(&state, action, .test)
    }

    @Test func `what somebody is to be reminded of asks for that, and the latest time wins`() {
        var state = Todos.State()
        let todo = Todo(id: 1, title: "Call Anna", remind: nine, created: 1)
        let remind = Todos.Command.remind(1, at: nine, after: microseconds(hour: 9))
        #expect(commands(&state, .add([todo, Todo(id: 2, title: "Buy the milk")])) == [remind])
        #expect(commands(&state, .edit(1, TodoChanges(title: "Call Ann", remind: nine.map { .set($0) }))) == [])
        let later = Todos.Command.remind(1, at: ten, after: microseconds(hour: 10))
        #expect(commands(&state, .edit(1, TodoChanges(remind: ten.map { .set($0) }))) == [later])
        #expect(later.policy.displacement?.cancelID == remind.policy.displacement?.cancelID)
        #expect(later.policy.delay == .microseconds(microseconds(hour: 10)) && later.leavesTrace)
        #expect(commands(&state, .edit(1, TodoChanges(remind: .clear))) == [.forget(1)])
        #expect(commands(&state, .edit(1, TodoChanges(remind: .clear))) == [])
        // As often as all others.
        #expect(later.policy.attemptsMax == CommandPolicy().attemptsMax)
        #expect(Todos.Command.forget(1).policy.isCancellation)
        #expect(Todos.Command.forget(1).policy.cancelID == later.policy.cancelID)
        #expect(Todos.Command.forget(1).policy.cancelID != Todos.Command.forget(2).policy.cancelID)
    }

    @Test func `who completes or removes it takes the reminder back, and who puts it back asks for it again`() throws {
        let todo = Todo(id: 1, title: "Call Anna", remind: nine, created: 1)
        let remind = Todos.Command.remind(1, at: nine, after: microseconds(hour: 9))
        var state = Todos.State(items: [todo])
        #expect(commands(&state, .complete(1, at: 5)) == [.forget(1)])
        #expect(commands(&state, .complete(1, at: 6)) == [])
        #expect(commands(&state, .edit(1, TodoChanges(note: "n"))) == [])
        #expect(commands(&state, .reopen(1)) == [remind])
        #expect(commands(&state, .remove(1)) == [.forget(1)])
        #expect(commands(&state, .remove(1)) == [])
        #expect(commands(&state, .putBack([PlacedTodo(todo, at: 0)])) == [remind])
        #expect(commands(&state, .putBack([PlacedTodo(todo, at: 0)])) == [])
    }

    @Test func `what was given is not asked for again, by nobody`() throws {
        var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine, created: 1)])
        #expect(Todos.nature(of: .reminded(1, of: nine)) == .fact)
        #expect(commands(&state, .reminded(1, of: nine)) == [])
        #expect(state.items[1]?.reminded == nine && state.items[1]?.remind == nine)
        let given = try #require(state.items[1])
        for action in [.complete(1, at: 5), .reopen(1), .remove(1), .putBack([PlacedTodo(given, at: 0)])] as [Todos.Action] {
            #expect(commands(&state, action) == [], "\(action)")
        }
        // Another time is another reminder.
        #expect(commands(&state, .edit(1, TodoChanges(remind: ten.map { .set($0) }))).count == 1)
        #expect(commands(&state, .reminded(9, of: nine)) == [])
    }

    @Test func `a time that has passed is due at once`() {
        var state = Todos.State()
        let past = Due("2020-01-01")
        #expect(commands(&state, .add([Todo(id: 1, title: "Call Anna", remind: past)])) == [.remind(1, at: past, after: 0)])
    }

    @Test func `that nobody could be reminded is told, and an end for a later one is not`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 0)
        #expect(Todos.ended(command, .failed("no desktop")) == .remindFailed(1, of: nine, "no desktop"))
        for end in [.superseded, .parked("it")] as [CommandEnd] { #expect(Todos.ended(command, end) == nil) }
        #expect(Todos.ended(.load, .skipped) == .loadFailed("it was skipped"))
        let told = Todos.failure(toldBy: .remindFailed(1, of: nine, "no desktop"))
        #expect(told == "nobody could be reminded of todo 1: no desktop")
        var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
        try state.dispatch(.remindFailed(1, of: nine, "no desktop"))
        #expect(state.items[1]?.reminded == nine)
    }

    @Test func `a command that is skipped or cancelled by itself leaves its todo without a reminder, and no other`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 0)
        for end in [.skipped, .cancelled] as [CommandEnd] {
            let fact = try #require(Todos.ended(command, end))
            #expect(fact == .remindCancelled(1, of: nine) && Todos.nature(of: fact) == .fact)
            var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
            #expect(try Todos.prepare(fact, state, .test) == [fact])
            #expect(commands(&state, fact) == [])
            #expect(state.items[1] == Todo(id: 1, title: "Call Anna"))
            // Done, gone, given, and at another time by now.
            for todo in [
                Todo(id: 1, title: "Call Anna", remind: nine, completed: 5), Todo(id: 2, title: "Call Anna", remind: nine),
                Todo(id: 1, title: "Call Anna", remind: nine, reminded: nine), Todo(id: 1, title: "Call Anna", remind: ten),
            ] {
                var other = Todos.State(items: [todo])
                #expect(try Todos.prepare(fact, other, .test) == [])
                if todo.remind == ten {
                    #expect(commands(&other, fact) == [])
                    #expect(other.items.elements == [todo])
                }
            }
        }
    }

    @Test func `a reminder has no arguments of its own`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 7)
        #expect(throws: ValueMismatch.self) { try command.with(arguments: ["id": 1, "time": "2026-11-27T10:00"]) }
        #expect(try Todos.Command.load.with(arguments: [:]) == .load)
        #expect(throws: ValueMismatch.self) { try Todos.Command.load.with(arguments: ["id": 1]) }
    }

    @Test func `that a reminder was given is said by its command alone`() throws {
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
        for change in [.clear, .set(try #require(nine))] as [TodoChanges.DueChange] {
            #expect(refusal(of: .edit(1, TodoChanges(reminded: change)), in: state) == "FieldNotAllowed")
        }
        #expect(refusal(of: .add([Todo(title: "Call Anna", remind: nine, reminded: nine)]), in: state) == "FieldNotAllowed")
    }

    @Test func `going back does not give a reminder again, and gives back one that is later than the last that was given`() throws
    {
        func back(_ present: Todo, to past: Todo) throws -> (todo: Todo?, commands: [Todos.Command]) {
            let (present, past) = (Todos.State(items: [present]), Todos.State(items: [past]))
            let target = Todos.takenBack(present, from: present, to: past).state
            var (state, asked) = (present, [Todos.Command]())
            for action in try Todos.compensation(from: present, to: target) { asked += commands(&state, action) }
            #expect(state.items == target.items)
            return (state.items[1], asked)
        }
        let pending = Todo(id: 1, title: "Call Anna", remind: nine)
        var given = Todo(id: 1, title: "Call Ann", remind: nine, reminded: nine)
        let pendingNoMore = Todo(id: 1, title: "Call Anna", remind: nine, reminded: nine)
        var (todo, asked) = try back(given, to: pending)
        #expect(todo == pendingNoMore && asked == [])
        // Also where it was taken away since, or another was given, or the todo was done then and is opened again.
        given.remind = nil
        #expect(try back(given, to: pending).todo?.reminded == nine)
        given = Todo(id: 1, title: "Call Ann", remind: ten, reminded: ten)
        (todo, asked) = try back(given, to: pending)
        #expect(todo == pendingNoMore && asked == [])
        let done = Todo(id: 1, title: "Call Anna", remind: nine, completed: 5)
        #expect(try back(given, to: done).todo?.reminded == nine)
        // A later one was not given yet.
        given = Todo(id: 1, title: "Call Ann", remind: nine, reminded: nine)
        let later = Todo(id: 1, title: "Call Anna", remind: ten)
        (todo, asked) = try back(given, to: later)
        #expect(todo == later && asked == [.remind(1, at: ten, after: microseconds(hour: 10))])
    }

    @Test func `to lead to one that is done asks for no reminder, and to one that is open for that of then alone`() throws {
        let rule = "every friday"
        let open = Todos.State(items: [Todo(id: 1, title: "Call Anna", every: rule, remind: nine)])
        let without = Todos.State(items: [Todo(id: 1, title: "Call Ann", every: rule)])
        let done = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine, completed: 5)])
        let other = Todos.State(items: [Todo(id: 1, title: "Call Ann", every: rule, remind: ten, completed: 7)])
        let given = Todos.Command.remind(1, at: nine, after: microseconds(hour: 9))
        for (from, to, asked) in [
            (without, done, []), (without, other, []), (open, other, [.forget(1)]), (done, open, [given]), (other, open, [given]),
        ] as [(Todos.State, Todos.State, [Todos.Command])] {
            var state = from
            let told = try Todos.compensation(from: from, to: to).flatMap { commands(&state, $0) }
            #expect(told == asked && state.items == to.items)
        }
    }

    @Test func `whoever reminds is told the title as it is then, and a command holds none`() {
        let command = Todos.Command.remind(1, at: nine, after: 7)
        #expect(command.arguments == ["id": 1, "time": "2026-11-27T09:00", "microseconds": 7])
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna", due: ten, remind: nine)])
        #expect(Todos.brief(for: command, in: state) == ["title": "Call Anna", "due": "2026-11-27T10:00"])
        #expect(Todos.brief(for: command, in: Todos.State()) == .null && Todos.brief(for: .load, in: state) == .null)
    }

    @Test func `the next one of what recurs has its reminder as long before`() throws {
        var state = Todos.State(items: [
            Todo(
                id: 1, title: "Water the plants", due: Due("2026-11-27"), every: "every friday", remind: Due("2026-11-26T18:00"),
                reminded: Due("2026-11-26T18:00"))
        ])
        try state.dispatch(.complete(1))
        #expect(state.items[2]?.due?.text == "2026-12-04" && state.items[2]?.remind?.text == "2026-12-03T18:00")
        #expect(state.items[2]?.reminded == nil)
    }

    private static let hour: Int64 = 3_600_000_000

    @Test(
        arguments: [
            ("2026-11-27T10:00", 60, "2026-11-27T09:00"), ("2026-11-27T00:30", 60, "2026-11-26T23:30"),
            ("2026-11-27T10:00", 0, "2026-11-27T10:00"), ("2026-11-27T10:00", 2_880, "2026-11-25T10:00"),
            ("2026-11-27", 1_440, "2026-11-26T09:00"), ("2026-11-27", 60, "2026-11-26T23:00"),
            ("2026-11-27", 0, "2026-11-27T09:00"), ("0001-01-02", 1_440, "0001-01-01T09:00"),
        ] as [(String, Int64, String)])
    func `a reminder before the due is at the time so long before it`(due: String, minutes: Int64, remind: String) throws {
        var state = Todos.State()
        // Whole minutes count.
        let before = minutes * 60_000_000 + 59_999_999
        try state.dispatch(.add([Todo(title: "Call Anna", due: Due(due), remindBefore: before)]))
        #expect(state.items[1]?.remind?.text == remind && state.items[1]?.remindBefore == before)
    }

    @Test func `it moves with the due in the same edit, and its command with it`() throws {
        var state = Todos.State()
        let before = 24 * Self.hour
        try state.dispatch(.add([Todo(title: "Call Anna", due: Due("2026-11-28T09:00"), remindBefore: before)]))
        #expect(state.items[1]?.remind == nine)
        let later = try #require(Due("2026-11-28T10:00"))
        let logged = try Todos.prepare(.edit(1, TodoChanges(due: .set(later))), state, .test)
        #expect(logged == [.edit(1, TodoChanges(due: .set(later), remind: ten.map { .set($0) }))])
        var asked = logged.flatMap { commands(&state, $0) }
        #expect(asked == [.remind(1, at: ten, after: microseconds(hour: 10))])
        // With the date it goes, and an edit of all else leaves it.
        try state.dispatch(.edit(1, TodoChanges(title: "Call Ann")))
        #expect(state.items[1]?.remind == ten)
        let cleared = try Todos.prepare(.edit(1, TodoChanges(due: .clear)), state, .test)
        asked = cleared.flatMap { commands(&state, $0) }
        #expect(asked == [.forget(1)])
        #expect(state.items[1]?.remind == nil && state.items[1]?.remindBefore == nil)
    }

    @Test func `a time of its own, and a reminder that is cancelled, follow the due no more`() throws {
        let todo = Todo(id: 1, title: "Call Anna", due: ten, remind: nine, remindBefore: Self.hour)
        let later = try #require(Due("2026-11-28T10:00"))
        for changes in [TodoChanges(remind: ten.map { .set($0) }), TodoChanges(remind: .clear), TodoChanges(remindBefore: -7)] {
            var state = Todos.State(items: [todo])
            try state.dispatch(.edit(1, changes))
            let remind = state.items[1]?.remind
            #expect(state.items[1]?.remindBefore == nil)
            #expect(remind == (changes.remindBefore == nil ? changes.remind.flatMap(\.time) : nine))
            try state.dispatch(.edit(1, TodoChanges(due: .set(later))))
            #expect(state.items[1]?.remind == remind)
        }
        var state = Todos.State(items: [todo])
        state.reduce(.remindCancelled(1, of: nine))
        try state.dispatch(.edit(1, TodoChanges(due: .set(later))))
        #expect(state.items[1]?.remind == nil && state.items[1]?.remindBefore == nil)
        // Nothing changes where there is none.
        #expect(try Todos.prepare(.edit(1, TodoChanges(remindBefore: -1)), state, .test) == [])
    }

    @Test func `it needs a due, and no time beside it`() {
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna"), Todo(id: 2, title: "Call Ann", due: ten)])
        #expect(refusal(of: .edit(1, TodoChanges(remindBefore: 0)), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(due: .clear, remindBefore: 0)), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remind: .clear, remindBefore: 0)), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remindBefore: .max)), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remindBefore: 0)), in: state) == nil)
        #expect(refusal(of: .add([Todo(title: "Call Anna", remindBefore: 0)]), in: state) == "BadReminder")
        for todo in [
            Todo(title: "Call Anna", due: ten, remind: nine, remindBefore: 0),
            Todo(title: "Call Anna", due: ten, remindBefore: -1),
        ] {
            #expect(refusal(of: .add([todo]), in: state) == "BadReminder")
        }
    }

    @Test func `the next one of what recurs has it before its own due`() throws {
        var state = Todos.State()
        let due = Due("2026-11-27T10:00")
        try state.dispatch(.add([Todo(title: "Call Anna", due: due, every: "every friday", remindBefore: Self.hour)]))
        try state.dispatch(.complete(1))
        #expect(state.items[2]?.due?.text == "2026-12-04T10:00" && state.items[2]?.remind?.text == "2026-12-04T09:00")
        #expect(state.items[2]?.remindBefore == Self.hour)
    }
}

extension TodoChanges.DueChange {
    fileprivate var time: Due? { if case .set(let due) = self { due } else { nil } }
}
