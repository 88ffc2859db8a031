public import Chronicle
import TodoRules

/// A command that would change nothing, such as completing a completed todo, logs nothing and is no error.
extension Todos {
    /// A title, an input section with one row, and a section with a row for each todo.
    ///
    /// For each section, `selections` has the action that selecting a row dispatches with the row's ID; the input section has none.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(
            [
                "title": .text("TODO - (\(state.items.count))"),
                "addEnabled": .bool(TitleRule.charactersMissing(in: TitleRule.trimmed(state.draft)) == 0),
                "draft": .text(state.draft),
                "sections": [1, .int(Int64(state.items.count))],
                "selections": ["", "remove"],
            ],
            lists: [
                ViewList(state.items, at: "rows") { todo in
                    ["id": .int(Int64(clamping: todo.id)), "text": .text(todo.title), "done": .bool(todo.isCompleted)]
                }
            ])
    }

    enum Limits {
        static let todosMax = 10_000_000
        static let draftBytesMax = 65_536
        static let reasonBytesMax = 4096
        /// Maximum number of todos per action that restores todos.
        static let putBackMax = 256
    }

    /// Applies a logged action; an action that doesn't fit the state changes nothing but `nextID`.
    ///
    /// Only `load` and reminders return commands.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .add(let todos): return insertOnTop(todos, &state, context)
        case .load:
            state.loading = true
            return [.load]
        case .loaded(let todos):
            state.loading = false
            return insertOnTop(todos, &state, context)
        case .loadFailed: state.loading = false
        case .putBack(let placed):
            var commands: [Command] = []
            for place in placed where insert(place.todo, at: place.index, &state) {
                commands += place.todo.reminder(from: context.time)
            }
            return commands
        case .edit(let id, let changes):
            state.raiseNextID(above: id)
            return update(id, in: &state, context) { changes.apply(to: &$0) }
        case .complete(let id, let time, _):
            state.raiseNextID(above: id)
            guard state.items.read(id, { $0.completed == nil }) == true else { return [] }
            return update(id, in: &state, context) { todo in
                todo.completed = time ?? context.time
                // The rule moves to the next todo of the series, so a reopened todo doesn't recur.
                if !todo.every.utf8.isEmpty { todo.every = "" }
            }
        case .reopen(let id):
            state.raiseNextID(above: id)
            guard state.items.read(id, { $0.completed != nil }) == true else { return [] }
            return update(id, in: &state, context) { $0.completed = nil }
        case .remove(let id):
            state.raiseNextID(above: id)
            let forgotten = forgetting(id, in: state)
            state.items.remove(id)
            return forgotten
        case .move(let id, let index):
            state.raiseNextID(above: id)
            state.items.move(id, to: index)
        case .clearCompleted(let ids):
            for id in ids {
                state.raiseNextID(above: id)
                state.items.remove(id)
            }
        case .updateText(let text): state.draft = text
        case .reminded(let id, let time), .remindFailed(let id, let time, _):
            state.raiseNextID(above: id)
            // This event ends the command of the reminder.
            state.items.update(id) { $0.reminded = time }
        case .remindCancelled(let id, let time):
            state.raiseNextID(above: id)
            // Ends the command as well; ignored for another reminder.
            state.items.update(id) { todo in
                if todo.remind == time { (todo.remind, todo.remindBefore) = (nil, nil) }
            }
        case .removeAt, .submit:
            // Never logged, because `prepare` replaces both.
            return []
        }
        return []
    }

    private static func insertOnTop(_ todos: [Todo], _ state: inout State, _ context: Context) -> [Command] {
        var index = 0
        var commands: [Command] = []
        for todo in todos where insert(todo, at: index, &state) {
            index += 1
            commands += todo.reminder(from: context.time)
        }
        return commands
    }

    static func insert(_ todo: Todo, at index: Int, _ state: inout State) -> Bool {
        guard ElementID.range.contains(todo.id) else { return false }
        state.raiseNextID(above: todo.id)
        return state.items.insert(todo, id: todo.id, at: index)
    }

    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch (command, end) {
        case (.load, _): end.reason.map(Action.loadFailed)
        case (.remind(let id, let time, _), .failed(let reason)): .remindFailed(id, of: time, reason)
        case (.remind(let id, let time, _), .skipped), (.remind(let id, let time, _), .cancelled): .remindCancelled(id, of: time)
        case (.remind, .superseded), (.remind, .parked), (.forget, _): nil
        }
    }

    public static func input(for command: Command, in state: State) -> Value {
        guard case .remind(let id, _, _) = command, let todo = state.items[id] else { return .null }
        return ["title": .text(todo.title), "due": .text(todo.due?.text ?? "")]
    }
}

extension Todos.Command {
    /// All commands are idempotent; a new one supersedes the previous one, for reminders that of the same todo.
    public var policy: CommandPolicy {
        switch self {
        case .load: CommandPolicy(cancelID: "load")
        case .remind(let id, _, let microseconds):
            CommandPolicy(
                timeout: .seconds(10), delay: .microseconds(min(microseconds, Todos.Limits.reminderDelayMax)),
                isScheduled: true, runningMax: Todos.Limits.remindersAtOnceMax, cancelID: "remind \(id)")
        case .forget(let id): CommandPolicy(cancelID: "remind \(id)", isCancellation: true)
        }
    }

    /// A delivered reminder has an effect outside the app.
    public var leavesTrace: Bool { if case .remind = self { true } else { false } }

    /// A reminder contains only the ID of its todo, because it may wait for years.
    public var mayHoldText: Bool {
        switch self {
        case .remind, .forget: false
        case .load: true
        }
    }

    /// Refuses to change a reminder, because its arguments come from its todo.
    public func with(arguments: Value) throws(ValueMismatch) -> Self {
        guard case .load = self else { throw ValueMismatch("", "a reminder is changed at its todo: edit that") }
        guard arguments == self.arguments else { throw ValueMismatch("", "this command has no arguments") }
        return self
    }
}

extension Todo {
    public var isCompleted: Bool { completed != nil }

    /// The reminder that is still to be delivered; nil for a completed todo.
    var pendingReminder: Due? {
        guard completed == nil, let remind, remind != reminded else { return nil }
        return remind
    }
}
