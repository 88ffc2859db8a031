public import Fields

extension Todos {
    /// The work that the todo list asks for.
    public enum Command: CasedCommand {
        /// Loads todos from their source; the latest wins.
        case load
        /// Reminds somebody of a todo, at a minute or as a day begins; due so many microseconds after it was asked for, when it is that early
        /// anywhere on earth. Whoever does it knows the zone, and waits for the rest.
        case remind(UInt64, at: Due?, after: Int64)
        /// Reminds nobody of a todo.
        case forget(UInt64)

        /// `todos.load`, `todos.remind`, `todos.forget`.
        public static let feature = "todos"

        /// Idempotent; a later one takes the place of an earlier, of reminders that of the same todo.
        public var policy: CommandPolicy {
            switch self {
            case .load: CommandPolicy(cancelID: "load")
            case .remind(let id, _, let microseconds):
                CommandPolicy(
                    timeout: .seconds(10), delay: .microseconds(min(microseconds, Limits.reminderDelayMax)),
                    isScheduled: true, runningMax: Limits.remindersAtOnceMax, cancelID: "remind \(id)")
            case .forget(let id): CommandPolicy(cancelID: "remind \(id)", isCancellation: true)
            }
        }

        /// Whoever was reminded is so.
        public var leavesTrace: Bool { if case .remind = self { true } else { false } }

        /// A reminder names the todo by its id alone, for it may wait for years.
        public var mayHoldText: Bool {
            switch self {
            case .remind, .forget: false
            case .load: true
            }
        }

        /// None of a reminder, which is what its todo says and is changed there.
        public func with(arguments: Value) throws(ValueMismatch) -> Command {
            guard case .load = self else { throw ValueMismatch("", "a reminder is changed at its todo: edit that") }
            guard arguments == self.arguments else { throw ValueMismatch("", "this command has no arguments") }
            return self
        }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .load
            case 2: .remind(0, at: nil, after: 0)
            case 3: .forget(0)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .load:
                visitor.choose(1, "load")
                return .load
            case .remind(var id, var time, var microseconds):
                visitor.choose(2, "remind")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "time", &time)
                try visitor.field(3, "microseconds", &microseconds)
                return .remind(id, at: time, after: microseconds)
            case .forget(var id):
                visitor.choose(3, "forget")
                try visitor.field(1, "id", &id, .needed)
                return .forget(id)
            }
        }
    }
}

extension Todos {
    /// That nothing was loaded, or nobody reminded, or that nobody is to be; of what a later one took the place of, or that waits for a person,
    /// nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch (command, end) {
        case (.load, _): end.reason.map(Action.loadFailed)
        case (.remind(let id, let time, _), .failed(let reason)): .remindFailed(id, of: time, reason)
        case (.remind(let id, let time, _), .skipped), (.remind(let id, let time, _), .cancelled): .remindCancelled(id, of: time)
        case (.remind, .superseded), (.remind, .parked), (.forget, _): nil
        }
    }

    /// Of a todo that somebody is to be reminded of: its title and when it is due.
    public static func brief(for command: Command, in state: State) -> Value {
        guard case .remind(let id, _, _) = command, let todo = state.items[id] else { return .null }
        return ["title": .text(todo.title), "due": .text(todo.due?.text ?? "")]
    }
}
