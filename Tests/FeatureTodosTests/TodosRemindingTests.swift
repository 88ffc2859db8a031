import Chronicle
import FeatureTodos
import Testing

@Suite struct TodosRemindingTests {
    private let nine = Due("2026-11-27T09:00")
    private let ten = Due("2026-11-27T10:00")

    /// Returns the time from noon of 20 November until this hour of the 27th in the earliest time zone.
    private func microseconds(hour: Int64) -> Int64 { ((7 * 24 - 12 + hour) - 14) * 3_600_000_000 }

    private func commands(_ state: inout Todos.State, _ action: Todos.Action) -> [Todos.Command] {
        Todos.reduce(&state, action, .test)
    }

    @Test func `a reminder returns a command, and the latest time wins`() {
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
        // The default number of attempts.
        #expect(later.policy.attemptsMax == CommandPolicy().attemptsMax)
        #expect(Todos.Command.forget(1).policy.isCancellation)
        #expect(Todos.Command.forget(1).policy.cancelID == later.policy.cancelID)
        #expect(Todos.Command.forget(1).policy.cancelID != Todos.Command.forget(2).policy.cancelID)
    }

    @Test func `a relative reminder moves with the due date if an undo changes only one of them`() {
        let (before, after) = (Todo(id: 1, title: "Call", due: nine), Todo(id: 1, title: "Call", due: ten))
        let hour: Int64 = 3_600_000_000
        let present = Todos.State(items: [Todo(id: 1, title: "Call", due: ten, remind: nine, remindBefore: hour)])
        let undone = Todos.reverted(present, from: Todos.State(items: [after]), to: Todos.State(items: [before]))
        #expect(undone.conflicts.isEmpty && undone.state.items[1]?.due == nine)
        #expect(undone.state.items[1]?.remind == Due("2026-11-27T08:00"))
        let none = Todos.State(items: [Todo(id: 1, title: "Call")])
        #expect(
            Todos.reverted(present, from: Todos.State(items: [after]), to: none).conflicts == [
                Conflict("items[1].remindBefore", expected: nil, found: .int(hour))
            ])
        // A later absolute reminder is a conflict, and a relative one stays if the undo removes only the time.
        func state(_ remind: Due?, _ before: Int64? = nil) -> Todos.State {
            Todos.State(items: [Todo(id: 1, title: "Call", due: ten, remind: remind, remindBefore: before)])
        }
        let later = Todos.reverted(state(Due("2026-11-27T08:00")), from: state(nine), to: state(nine, hour))
        #expect(later.conflicts.map(\.path) == ["items[1].remind"])
        #expect(Todos.reverted(state(nine, hour), from: state(nine), to: state(nil)).state.items[1]?.remind == nine)
    }

    @Test func `completing or removing a todo cancels its reminder, and restoring it schedules it again`() throws {
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

    @Test func `a delivered reminder is never scheduled again`() throws {
        var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine, created: 1)])
        #expect(Todos.kind(of: .reminded(1, of: nine)) == .event)
        #expect(commands(&state, .reminded(1, of: nine)) == [])
        #expect(state.items[1]?.reminded == nine && state.items[1]?.remind == nine)
        let given = try #require(state.items[1])
        for action in [.complete(1, at: 5), .reopen(1), .remove(1), .putBack([PlacedTodo(given, at: 0)])] as [Todos.Action] {
            #expect(commands(&state, action) == [], "\(action)")
        }
        // A reminder at another time is a new one.
        #expect(commands(&state, .edit(1, TodoChanges(remind: ten.map { .set($0) }))).count == 1)
        #expect(commands(&state, .reminded(9, of: nine)) == [])
    }

    @Test func `a past reminder is due immediately`() {
        var state = Todos.State()
        let past = Due("2020-01-01")
        #expect(commands(&state, .add([Todo(id: 1, title: "Call Anna", remind: past)])) == [.remind(1, at: past, after: 0)])
    }

    @Test func `a failed reminder raises an alert, unless it was superseded`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 0)
        #expect(Todos.ended(command, .failed("no desktop")) == .remindFailed(1, of: nine, "no desktop"))
        for end in [.superseded, .parked("it")] as [CommandEnd] { #expect(Todos.ended(command, end) == nil) }
        #expect(Todos.ended(.load, .skipped) == .loadFailed("it was skipped"))
        let text = Todos.failure(toldBy: .remindFailed(1, of: nine, "no desktop"))
        #expect(text == "nobody could be reminded of todo 1: no desktop")
        var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
        try state.dispatch(.remindFailed(1, of: nine, "no desktop"))
        #expect(state.items[1]?.reminded == nine)
    }

    @Test func `skipping or cancelling a reminder command removes the reminder of its todo only`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 0)
        for end in [.skipped, .cancelled] as [CommandEnd] {
            let fact = try #require(Todos.ended(command, end))
            #expect(fact == .remindCancelled(1, of: nine) && Todos.kind(of: fact) == .event)
            var state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
            #expect(try Todos.prepare(fact, state, .test) == [fact])
            #expect(commands(&state, fact) == [])
            #expect(state.items[1] == Todo(id: 1, title: "Call Anna"))
            // Completed, removed, delivered and rescheduled todos.
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

    @Test func `the arguments of a reminder can't be changed`() throws {
        let command = Todos.Command.remind(1, at: nine, after: 7)
        #expect(throws: ValueMismatch.self) { try command.with(arguments: ["id": 1, "time": "2026-11-27T10:00"]) }
        #expect(try Todos.Command.load.with(arguments: [:]) == .load)
        #expect(throws: ValueMismatch.self) { try Todos.Command.load.with(arguments: ["id": 1]) }
    }

    @Test func `only the command reports a delivered reminder`() throws {
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine)])
        for change in [.clear, .set(try #require(nine))] as [FieldChange<Due>] {
            #expect(refusal(of: .edit(1, TodoChanges(reminded: change)), in: state) == "FieldNotAllowed")
        }
        #expect(refusal(of: .add([Todo(title: "Call Anna", remind: nine, reminded: nine)]), in: state) == "FieldNotAllowed")
    }

    @Test func `an undo restores a reminder only if it is later than the last delivered one`() throws {
        func back(_ present: Todo, to past: Todo) throws -> (todo: Todo?, commands: [Todos.Command]) {
            let (present, past) = (Todos.State(items: [present]), Todos.State(items: [past]))
            let target = Todos.reverted(present, from: present, to: past).state
            var (state, requested) = (present, [Todos.Command]())
            for action in try Todos.compensatingActions(from: present, to: target) { requested += commands(&state, action) }
            #expect(state.items == target.items)
            return (state.items[1], requested)
        }
        let pending = Todo(id: 1, title: "Call Anna", remind: nine)
        var given = Todo(id: 1, title: "Call Ann", remind: nine, reminded: nine)
        let delivered = Todo(id: 1, title: "Call Anna", remind: nine, reminded: nine)
        var (todo, requested) = try back(given, to: pending)
        #expect(todo == delivered && requested == [])
        // Also if the reminder was removed, a later one was delivered, or the todo was completed and reopened.
        given.remind = nil
        #expect(try back(given, to: pending).todo?.reminded == nine)
        given = Todo(id: 1, title: "Call Ann", remind: ten, reminded: ten)
        (todo, requested) = try back(given, to: pending)
        #expect(todo == delivered && requested == [])
        let done = Todo(id: 1, title: "Call Anna", remind: nine, completed: 5)
        #expect(try back(given, to: done).todo?.reminded == nine)
        // A later reminder is not delivered yet.
        given = Todo(id: 1, title: "Call Ann", remind: nine, reminded: nine)
        let later = Todo(id: 1, title: "Call Anna", remind: ten)
        (todo, requested) = try back(given, to: later)
        #expect(todo == later && requested == [.remind(1, at: ten, after: microseconds(hour: 10))])
    }

    @Test func `compensating actions schedule a reminder only for an open todo`() throws {
        let rule = "every friday"
        let open = Todos.State(items: [Todo(id: 1, title: "Call Anna", every: rule, remind: nine)])
        let without = Todos.State(items: [Todo(id: 1, title: "Call Ann", every: rule)])
        let done = Todos.State(items: [Todo(id: 1, title: "Call Anna", remind: nine, completed: 5)])
        let other = Todos.State(items: [Todo(id: 1, title: "Call Ann", every: rule, remind: ten, completed: 7)])
        let given = Todos.Command.remind(1, at: nine, after: microseconds(hour: 9))
        for (from, to, requested) in [
            (without, done, []), (without, other, []), (open, other, [.forget(1)]), (done, open, [given]), (other, open, [given]),
        ] as [(Todos.State, Todos.State, [Todos.Command])] {
            var state = from
            let actual = try Todos.compensatingActions(from: from, to: to).flatMap { commands(&state, $0) }
            #expect(actual == requested && state.items == to.items)
        }
    }

    @Test func `a reminder receives the current title, and its command contains none`() {
        let command = Todos.Command.remind(1, at: nine, after: 7)
        #expect(command.arguments == ["id": 1, "time": "2026-11-27T09:00", "microseconds": 7])
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna", due: ten, remind: nine)])
        #expect(Todos.input(for: command, in: state) == ["title": "Call Anna", "due": "2026-11-27T10:00"])
        #expect(Todos.input(for: command, in: Todos.State()) == .null && Todos.input(for: .load, in: state) == .null)
    }

    @Test func `the next todo of a series keeps the distance of its reminder`() throws {
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
    func `a relative reminder is at its distance from the due date`(due: String, minutes: Int64, remind: String) throws {
        var state = Todos.State()
        // Seconds are ignored.
        let before = minutes * 60_000_000 + 59_999_999
        try state.dispatch(.add([Todo(title: "Call Anna", due: Due(due), remindBefore: before)]))
        #expect(state.items[1]?.remind?.text == remind && state.items[1]?.remindBefore == before)
    }

    @Test func `a relative reminder and its command move with the due date`() throws {
        var state = Todos.State()
        let before = 24 * Self.hour
        try state.dispatch(.add([Todo(title: "Call Anna", due: Due("2026-11-28T09:00"), remindBefore: before)]))
        #expect(state.items[1]?.remind == nine)
        let later = try #require(Due("2026-11-28T10:00"))
        let logged = try Todos.prepare(.edit(1, TodoChanges(due: .set(later))), state, .test)
        #expect(logged == [.edit(1, TodoChanges(due: .set(later), remind: ten.map { .set($0) }))])
        var requested = logged.flatMap { commands(&state, $0) }
        #expect(requested == [.remind(1, at: ten, after: microseconds(hour: 10))])
        // Clearing the due date removes it; other edits keep it.
        try state.dispatch(.edit(1, TodoChanges(title: "Call Ann")))
        #expect(state.items[1]?.remind == ten)
        let cleared = try Todos.prepare(.edit(1, TodoChanges(due: .clear)), state, .test)
        requested = cleared.flatMap { commands(&state, $0) }
        #expect(requested == [.forget(1)])
        #expect(state.items[1]?.remind == nil && state.items[1]?.remindBefore == nil)
    }

    @Test func `an absolute or cancelled reminder does not follow the due date`() throws {
        let todo = Todo(id: 1, title: "Call Anna", due: ten, remind: nine, remindBefore: Self.hour)
        let later = try #require(Due("2026-11-28T10:00"))
        for changes in [
            TodoChanges(remind: ten.map { .set($0) }), TodoChanges(remind: .clear), TodoChanges(remindBefore: .clear),
        ] {
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
        // Clearing a missing reminder changes nothing.
        #expect(try Todos.prepare(.edit(1, TodoChanges(remindBefore: .clear)), state, .test) == [])
    }

    @Test func `a relative reminder needs a due date and excludes an absolute one`() {
        let state = Todos.State(items: [Todo(id: 1, title: "Call Anna"), Todo(id: 2, title: "Call Ann", due: ten)])
        #expect(refusal(of: .edit(1, TodoChanges(remindBefore: .set(0))), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(due: .clear, remindBefore: .set(0))), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remind: .clear, remindBefore: .set(0))), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remindBefore: .set(.max))), in: state) == "BadReminder")
        #expect(refusal(of: .edit(2, TodoChanges(remindBefore: .set(0))), in: state) == nil)
        #expect(refusal(of: .add([Todo(title: "Call Anna", remindBefore: 0)]), in: state) == "BadReminder")
        for todo in [
            Todo(title: "Call Anna", due: ten, remind: nine, remindBefore: 0),
            Todo(title: "Call Anna", due: ten, remindBefore: -1),
        ] {
            #expect(refusal(of: .add([todo]), in: state) == "BadReminder")
        }
    }

    @Test func `the next todo of a series has a relative reminder`() throws {
        var state = Todos.State()
        let due = Due("2026-11-27T10:00")
        try state.dispatch(.add([Todo(title: "Call Anna", due: due, every: "every friday", remindBefore: Self.hour)]))
        try state.dispatch(.complete(1))
        #expect(state.items[2]?.due?.text == "2026-12-04T10:00" && state.items[2]?.remind?.text == "2026-12-04T09:00")
        #expect(state.items[2]?.remindBefore == Self.hour)
    }
}

extension FieldChange<Due> {
    fileprivate var time: Due? { if case .set(let due) = self { due } else { nil } }
}
