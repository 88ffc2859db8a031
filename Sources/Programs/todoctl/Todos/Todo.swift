import ArgumentParser
import Chronicle
import Dates

/// A todo as the daemon sends it.
struct Todo: Equatable {
    var id: Int64
    var title: String
    var note = ""
    var tags: [String] = []
    var priority = 0
    var due: Due?
    /// Hidden until then.
    var wait: Due?
    /// The ids of todos that must be done first.
    var after: [Int64] = []
    /// The recurrence rule, or empty.
    var every = ""
    /// The id of the first todo of its series; 0 if it was not created by a recurrence.
    var series: Int64 = 0
    var remind: Due?
    /// Microseconds between a relative reminder and the due date.
    var remindBefore: Int64?
    var reminded: Due?
    var waitsForReminder: Bool { !isDone && remind != nil && remind != reminded }
    var origin: Origin?
    /// Microseconds since 1970.
    var created: Int64?
    /// Microseconds since 1970; `nil` while it is open.
    var completed: Int64?

    var isDone: Bool { completed != nil }

    /// Whether it is open and its wait date is in the future.
    func isWaiting(at now: Moment) -> Bool { !isDone && wait.map { !$0.hasCome(at: now) } ?? false }

    init(id: Int64, title: String) {
        self.id = id
        self.title = title
    }

    /// Reads an element of `todos.items`; unknown fields are ignored.
    init?(_ value: Value) {
        guard case .record(let fields) = value else { return nil }
        var id: Int64?
        var title: String?
        for field in fields {
            switch (field.name, field.value) {
            case ("id", .int(let number)): id = number
            case ("title", .text(let text)): title = text
            case ("note", .text(let text)): note = text
            case ("tags", .list(let elements)): tags = elements.compactMap(\.text)
            case ("priority", .int(let number)): priority = Int(clamping: number)
            case ("due", .text(let text)): due = Due(text: text)
            case ("wait", .text(let text)): wait = Due(text: text)
            case ("after", .list(let elements)): after = elements.compactMap(\.int)
            case ("every", .text(let text)): every = text
            case ("series", .int(let number)): series = number
            case ("remind", .text(let text)): remind = Due(text: text)
            case ("remindBefore", .int(let time)): remindBefore = time
            case ("reminded", .text(let text)): reminded = Due(text: text)
            case ("origin", let value): origin = Origin(value)
            case ("created", .int(let time)): created = time
            case ("completed", .int(let time)): completed = time
            default: break
            }
        }
        guard let id, let title else { return nil }
        self.id = id
        self.title = title
    }

    /// Applies an edit; a relative reminder moves with the due date and is removed with it.
    func changed(by edit: TodoDraft) -> Todo {
        var todo = self
        if let title = edit.title { todo.title = title }
        if let note = edit.note { todo.note = note }
        if let tags = edit.tags { todo.tags = tags }
        if let priority = edit.priority { todo.priority = priority }
        if let due = edit.due { todo.due = due }
        if let wait = edit.wait { todo.wait = wait }
        if let after = edit.after { todo.after = after }
        if let every = edit.every { todo.every = every }
        if let remind = edit.remind {
            (todo.remind, todo.remindBefore) = (remind, edit.remindBefore)
        } else if edit.due != nil, let before = todo.remindBefore {
            todo.remind = todo.due?.reminder(minutesBefore: Int(before / 60_000_000))
            if todo.due == nil { todo.remindBefore = nil }
        }
        if let origin = edit.origin { todo.origin = origin }
        return todo
    }
}

/// 0 to 3, or none, low, medium, high.
struct Priority: ExpressibleByArgument, Equatable {
    static let names = ["none", "low", "medium", "high"]
    var level: Int

    init(level: Int) { self.level = level }

    init?(argument: String) {
        if let level = Priority.names.firstIndex(of: argument.lowercased()) {
            self.level = level
        } else if let level = Int(argument), Priority.names.indices.contains(level) {
            self.level = level
        } else {
            return nil
        }
    }

    var name: String { Priority.names.indices.contains(level) ? Priority.names[level] : String(level) }
    var defaultValueDescription: String { name }
    static var allValueStrings: [String] { names }
}

/// The fields of a todo besides its title, as options of `add` and `edit`.
struct TodoFields: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Due date; none removes it.", valueName: "date"), completion: .dates)
    var due: String?

    @Option(
        name: [.customShort("w"), .long, .customLong("wait")],
        help: ArgumentHelp("Hide it until this date; none removes it.", valueName: "date"), completion: .dates)
    var waitUntil: String?

    @Option(
        help: ArgumentHelp("Ids of todos that must be done first, separated by commas.", valueName: "ids"),
        completion: .todoLists)
    var after: TodoIDs?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Recurrence rule, such as monday; none removes it.", valueName: "rule"), completion: .rules)
    var every: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "When to remind: a date, or \"1h before\" the due date; none removes it.", valueName: "time"),
        completion: .dates)
    var remind: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A tag to add, or several separated by commas; can be repeated.", valueName: "tag"),
        completion: .tags)
    var tag: [String] = []

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("0 to 3, or none, low, medium, high.", valueName: "level"),
        completion: .list(Priority.names))
    var priority: Priority?

    @Option(help: ArgumentHelp("The note.", valueName: "text"))
    var note: String?

    var tags: [String] { Tags.typed(tag) }

    var isEmpty: Bool {
        due == nil && waitUntil == nil && after == nil && every == nil && remind == nil && tag.isEmpty && priority == nil
            && note == nil
    }

    /// The fields except the tags and the reminder, which may depend on the due date; dates are in the user's zone.
    ///
    /// - Throws: for invalid values and past wait dates.
    func draft(_ words: [String], _ session: Session) throws(Failure) -> TodoDraft {
        // Normalized like in the daemon, so that messages quote the stored title.
        let title = words.isEmpty ? nil : words.joined(separator: " ").trimmed
        var draft = TodoDraft(title: title, note: note, priority: priority?.level)
        if let due { draft.due = .some(try Self.isNone(due) ? nil : session.due(due)) }
        if let waitUntil { draft.wait = .some(try Self.isNone(waitUntil) ? nil : Self.wait(waitUntil, session)) }
        draft.after = after?.ids
        guard let every else { return draft }
        draft.every = ""
        if !Self.isNone(every) {
            let rule = try session.recurrence(every)
            draft.every = rule.recurrence.text
            draft.ruleMinute = rule.minute
            try draft.takeRuleMinute()
        }
        return draft
    }

    func reminder(_ session: Session) throws(Failure) -> ReminderTime? {
        guard let remind else { return nil }
        return try session.reminder(remind)
    }

    private static func isNone(_ text: String) -> Bool { text.lowercased() == "none" }

    private static func wait(_ text: String, _ session: Session) throws(Failure) -> Due {
        let wait = try session.due(text)
        guard !wait.isOver(at: session.now) else {
            throw Failure(
                .usage, "That is past: \(wait.long). Say until when it waits from now on, such as --wait-until friday.")
        }
        return wait
    }
}

struct ClearedTodoFields: ParsableArguments {
    @Flag(help: "Remove the due date.")
    var noDue = false

    @Flag(name: [.long, .customLong("no-wait")], help: "Remove the wait date.")
    var noWaitUntil = false

    @Flag(help: "Remove the dependencies.")
    var noAfter = false

    @Flag(help: "Remove the recurrence rule.")
    var noEvery = false

    @Flag(help: "Remove the reminder.")
    var noRemind = false

    @Flag(help: "Remove the note.")
    var noNote = false

    var isEmpty: Bool { !noDue && !noWaitUntil && !noAfter && !noEvery && !noRemind && !noNote }

    /// Refuses to set and remove the same field.
    func check(against fields: TodoFields) throws {
        if fields.due != nil, noDue { throw ValidationError("--due and --no-due exclude each other.") }
        if fields.waitUntil != nil, noWaitUntil {
            throw ValidationError("--wait-until and --no-wait-until exclude each other.")
        }
        if fields.after != nil, noAfter { throw ValidationError("--after and --no-after exclude each other.") }
        if fields.every != nil, noEvery { throw ValidationError("--every and --no-every exclude each other.") }
        if fields.remind != nil, noRemind { throw ValidationError("--remind and --no-remind exclude each other.") }
        if fields.note != nil, noNote { throw ValidationError("--note and --no-note exclude each other.") }
    }

    func clear(_ draft: inout TodoDraft) {
        if noDue { draft.due = .some(nil) }
        if noWaitUntil { draft.wait = .some(nil) }
        if noAfter { draft.after = [] }
        if noEvery { draft.every = "" }
        if noRemind { draft.remind = .some(nil) }
        if noNote { draft.note = "" }
    }
}

/// The fields of a new todo, or the changed fields of an existing one; `nil` is unspecified.
struct TodoDraft: Equatable {
    var title: String?
    var note: String?
    var tags: [String]?
    var priority: Int?
    /// `.some(nil)` removes it.
    var due: Due??
    /// `.some(nil)` removes it.
    var wait: Due??
    /// The complete list; empty removes it.
    var after: [Int64]?
    /// Empty removes it.
    var every: String?
    /// `.some(nil)` removes it.
    var remind: Due??
    /// Microseconds between a relative reminder and the due date.
    var remindBefore: Int64?
    var origin: Origin?
    /// The original creation time, in microseconds since 1970.
    var created: Int64?
    /// The original completion time, in microseconds since 1970.
    var completed: Int64?
    /// The time of day of the rule in minutes, which is applied to the due date; not on the wire.
    var ruleMinute: Int?

    var fields: [Value.Field] {
        var fields: [Value.Field] = []
        if let title { fields.append(.init("title", .text(title))) }
        if let note { fields.append(.init("note", .text(note))) }
        if let tags { fields.append(.init("tags", .list(tags.map(Value.text)))) }
        if let priority { fields.append(.init("priority", .int(Int64(priority)))) }
        if let due { fields.append(.init("due", .text(due?.text ?? ""))) }
        if let wait { fields.append(.init("wait", .text(wait?.text ?? ""))) }
        if let after { fields.append(.init("after", .list(after.map(Value.int)))) }
        if let every { fields.append(.init("every", .text(every))) }
        if let remindBefore {
            fields.append(.init("remindBefore", .int(remindBefore)))
        } else if let remind {
            fields.append(.init("remind", .text(remind?.text ?? "")))
        }
        if let origin { fields.append(.init("origin", origin.value)) }
        if let created { fields.append(.init("created", .int(created))) }
        if let completed { fields.append(.init("completed", .int(completed))) }
        return fields
    }

    /// Applies the rule's time of day to the due date.
    ///
    /// - Throws: if the due date has a different time.
    mutating func takeRuleMinute() throws(Failure) {
        guard let ruleMinute, case .some(.some(let date)) = due else { return }
        guard date.minute == nil || date.minute == ruleMinute else {
            throw Failure(.usage, "The time is said twice, with the date and with the rule. Leave one of them out.")
        }
        due = Due(day: date.day, minute: ruleMinute)
    }

    /// Drops explicit removals, which are meaningless for a new todo.
    mutating func dropNone() {
        if case .some(.none) = due { due = nil }
        if case .some(.none) = wait { wait = nil }
        if case .some(.none) = remind { remind = nil }
        if every?.isEmpty == true { every = nil }
    }

    /// Sets the first due date of a recurring todo: the first day of its rule from today on, at its time, which must not have
    /// passed.
    mutating func beginRecurring(at now: Moment) {
        guard due == nil, wait == nil, let every, let rule = try? Recurrence(every) else { return }
        let isOver = ruleMinute.map { Due(day: now.day, minute: $0).isOver(at: now) } ?? false
        guard let day = rule.first(from: isOver ? now.day.adding(days: 1) : now.day) else { return }
        due = Due(day: day, minute: ruleMinute)
    }
}

/// An edit of several todos: common changes, and changes that depend on the todo.
struct TodoEdit: Equatable {
    /// The common changes.
    var draft: TodoDraft
    /// `nil` keeps the reminder.
    var reminder: ReminderTime?
    var tags: [String] = []
    var untag: [String] = []

    /// Whether it depends on the todo: on its tags or its due date.
    var isOfEach: Bool {
        let isOfDate = draft.due == nil && (draft.ruleMinute != nil || reminder?.isCounted == true)
        return isOfDate || !tags.isEmpty || !untag.isEmpty
    }

    /// The changes of one todo; `todo` is `nil` if they are the same for all.
    ///
    /// - Throws: for a reminder that has passed, or a relative one without a due date.
    func applied(to todo: Todo?, at now: Moment) throws(Failure) -> TodoDraft {
        var draft = draft
        if draft.due == nil, let minute = draft.ruleMinute {
            if let due = todo?.due { draft.due = Due(day: due.day, minute: minute) } else { draft.beginRecurring(at: now) }
        }
        if let reminder {
            let due: Due? = draft.due ?? todo?.due
            draft.remind = .some(try reminder.time(before: due, of: todo?.id, at: now))
            draft.remindBefore = reminder.microsecondsBefore
        }
        if let todo, !tags.isEmpty || !untag.isEmpty {
            draft.tags = todo.tags.filter { !Tags.contain($0, in: untag) && !Tags.contain($0, in: tags) } + tags
        }
        return draft
    }
}
