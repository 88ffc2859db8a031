import Fields
import TodoRules

/// The largest of what a person says of a todo, beside `TodoLimits`.
extension Todos.Limits {
    /// How long a reminder waits without a look at the clock, in microseconds: nine years, within what an import takes for a due.
    static let reminderDelayMax: Int64 = 9 * 365 * 86_400_000_000
    /// Reminders that are given at once: if whatever gives them hangs, there is room for other commands.
    static let remindersAtOnceMax = 8
    /// How long before the due a reminder may be, in microseconds.
    static let remindBeforeMax = Int64(TodoLimits.remindDaysBeforeMax) * UTCDay.microseconds
    /// Days between the day of completion that a client names and the daemon's, which zones and wrong clocks explain.
    static let completionDaysMax = 2
    /// UTF-8 bytes of a rule by which a todo recurs, as dispatched.
    public static let recurrenceBytesMax = 256
    /// UTF-8 bytes of where a todo comes from: of its source's name, and of all attributes with theirs.
    public static let originBytesMax = 65_536
    /// Attributes that its source says of it.
    public static let originAttributesMax = 64
    /// Words on what its source said: each tag is one, and so is each other part.
    public static let originSaidMax = 96
}

extension Todos {
    static func requireLive(_ id: UInt64, _ state: State) throws(Refusal) {
        guard state.items.contains(id) else { throw Refusal("UnknownID", "there is no todo \(id)") }
    }

    /// That a reminder was given is a fact, which its command brings back.
    static var remindedIsFact: Refusal {
        Refusal("FieldNotAllowed", "that a reminder was given is known when it is; leave “reminded” out")
    }

    static func unknownIndex(_ index: Int, _ state: State) -> Refusal {
        Refusal("UnknownIndex", "there is no index \(index), the list has \(state.items.count) todos")
    }

    static func requireRoom(for added: Int, _ state: State) throws(Refusal) {
        guard added <= Limits.todosMax - state.items.count else {
            throw Refusal("TooManyTodos", "the list has \(state.items.count) todos, at most \(Limits.todosMax) are allowed")
        }
    }

    /// Has what a person says of a whole todo beside its title as it is logged.
    static func prepareDetails(_ todo: inout Todo, _ state: State) throws(Refusal) {
        try requireAllowed(note: todo.note)
        todo.tags = try preparedTags(todo.tags)
        todo.after = try preparedAfter(todo.after, of: todo.id, state)
        todo.every = try preparedRecurrence(todo.every)
        if let before = todo.remindBefore {
            let reminder = try reminder(before, aheadOf: todo.due)
            guard todo.remind == nil || todo.remind == reminder else { throw twoReminders }
            todo.remind = reminder
        }
        try requireAllowed(origin: todo.origin)
    }

    /// An edit of a todo as it is logged.
    static func prepared(_ changes: TodoChanges, of id: UInt64, _ state: State) throws(Refusal) -> TodoChanges {
        var changes = changes
        if changes.reminded != nil { throw remindedIsFact }
        let origin = changes.origin ?? state.items[id]?.origin ?? TodoOrigin()
        if let title = changes.title {
            changes.title = try origin.isInitial ? preparedTitle(title) : preparedImportedTitle(title)
        }
        if let origin = changes.origin { try requireAllowed(origin: origin) }
        if let note = changes.note { try requireAllowed(note: note) }
        if let tags = changes.tags { changes.tags = try preparedTags(tags) }
        if let after = changes.after {
            let others = try preparedAfter(after, of: id, state)
            var links = DependencyRing.linksMax(of: 1)
            try requireNoRing(others, of: id, state, links: &links)
            changes.after = others
        }
        if let every = changes.every { changes.every = try preparedRecurrence(every) }
        if changes.due != nil || changes.remind != nil || changes.remindBefore != nil {
            try prepareReminder(&changes, of: state.items[id])
        }
        return changes
    }

    static func preparedTitle(_ text: String) throws(Refusal) -> String {
        // Before the trimming, so that nobody has a megabyte of blanks counted.
        try requireAllowed(title: text)
        let title = TitleRule.trimmed(text)
        guard TitleRule.charactersMissing(in: title) == 0 else { throw Refusal("TitleTooShort", TitleRule.sentence) }
        return title
    }

    /// A title from a source, however short, without white space around it.
    static func preparedLoadedTitle(_ text: String) throws(Refusal) -> String {
        try requireAllowed(title: text)
        return TitleRule.trimmed(text)
    }

    /// A title that comes from elsewhere, however short, but not blank.
    static func preparedImportedTitle(_ text: String) throws(Refusal) -> String {
        let title = try preparedLoadedTitle(text)
        guard !TitleRule.isBlank(title) else { throw Refusal("TitleTooShort", "a title needs a character that is seen") }
        return title
    }

    static func requireAllowed(title: String) throws(Refusal) {
        guard title.utf8.count <= TodoLimits.titleBytesMax else {
            throw Refusal(
                "TitleTooLong", "the title has \(title.utf8.count) bytes, at most \(TodoLimits.titleBytesMax) are allowed")
        }
    }

    static func requireAllowed(note: String) throws(Refusal) {
        guard note.utf8.count <= TodoLimits.noteBytesMax else {
            throw Refusal("NoteTooLong", "the note has \(note.utf8.count) bytes, at most \(TodoLimits.noteBytesMax) are allowed")
        }
    }

    static func requireAllowed(tags: [String]) throws(Refusal) {
        guard tags.count <= TodoLimits.tagsMax else {
            throw Refusal("TooManyTags", "\(tags.count) tags are given, at most \(TodoLimits.tagsMax) are allowed")
        }
        for tag in tags where tag.utf8.count > TodoLimits.tagBytesMax {
            throw Refusal("TagTooLong", "a tag has \(tag.utf8.count) bytes, at most \(TodoLimits.tagBytesMax) are allowed")
        }
    }

    /// The tags without white space around them, each once.
    static func preparedTags(_ tags: [String]) throws(Refusal) -> [String] {
        try requireAllowed(tags: tags)
        var prepared: [String] = []
        var seen: Set<String> = []
        for tag in tags {
            let tag = TitleRule.trimmed(tag)
            guard !tag.isEmpty else { throw Refusal("TagEmpty", "a tag needs at least one character") }
            // The set takes composed and decomposed letters for the same. Comparing all pairs by their bytes would be quadratic.
            if seen.insert(tag).inserted || !prepared.contains(where: { $0.hasSameBytes(as: tag) }) { prepared.append(tag) }
        }
        return prepared
    }

    static func requireAllowed(origin: TodoOrigin) throws(Refusal) {
        let named = origin.said.reduce(origin.source.utf8.count) { $0 + $1.utf8.count }
        let bytes = origin.attributes.reduce(named) { $0 + $1.name.utf8.count + $1.text.utf8.count }
        guard bytes <= Limits.originBytesMax, origin.attributes.count <= Limits.originAttributesMax,
            origin.said.count <= Limits.originSaidMax
        else {
            throw Refusal(
                "OriginTooLarge",
                "where it comes from has \(bytes) bytes, \(origin.attributes.count) attributes and \(origin.said.count) words on "
                    + "what it said, at most \(Limits.originBytesMax), \(Limits.originAttributesMax) and "
                    + "\(Limits.originSaidMax) are allowed")
        }
    }

    /// The ids of the todos that one comes after, each once.
    private static func preparedAfter(_ ids: [UInt64], of id: UInt64, _ state: State) throws(Refusal) -> [UInt64] {
        guard ids.count <= TodoLimits.afterMax else {
            throw Refusal(
                "TooManyDependencies", "\(ids.count) todos are to be done before, at most \(TodoLimits.afterMax) are allowed")
        }
        for other in ids {
            guard other != id else { throw Refusal("DependsOnItself", "todo \(id) can't be done after itself") }
            guard Limits.ids.contains(other), other < state.nextID else {
                throw Refusal("IDNotHandedOut", "there never was a todo \(other), which is to be done before")
            }
        }
        var prepared: [UInt64] = []
        for other in ids where !prepared.contains(other) { prepared.append(other) }
        return prepared
    }

    /// Refuses a todo with an id that would wait for itself; nobody comes after one that is new and has none yet.
    static func requireNoRing(
        _ after: [UInt64], of id: UInt64, _ state: State, links: inout Int
    ) throws(Refusal) {
        guard let ring = DependencyRing.closed(by: after, of: id, in: state, links: &links) else { return }
        throw Refusal("DependencyRing", ring.sentence)
    }
}
