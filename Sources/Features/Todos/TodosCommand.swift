public import Chronicle

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

extension Todos {
    /// The failure of a load or a reminder, or the cancellation of a reminder; nil if the command was superseded or parked.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch (command, end) {
        case (.load, _): end.reason.map(Action.loadFailed)
        case (.remind(let id, let time, _), .failed(let reason)): .remindFailed(id, of: time, reason)
        case (.remind(let id, let time, _), .skipped), (.remind(let id, let time, _), .cancelled): .remindCancelled(id, of: time)
        case (.remind, .superseded), (.remind, .parked), (.forget, _): nil
        }
    }

    /// The input of a reminder: the title and the due date of its todo.
    public static func input(for command: Command, in state: State) -> Value {
        guard case .remind(let id, _, _) = command, let todo = state.items[id] else { return .null }
        return ["title": .text(todo.title), "due": .text(todo.due?.text ?? "")]
    }
}
