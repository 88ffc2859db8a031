import Chronicle
import TodoRules

extension Todos.Limits {
    /// Maximum delay of a reminder command in microseconds: nine years, within the range of imported due dates.
    static let reminderDelayMax: Int64 = 9 * 365 * 86_400_000_000
    /// Maximum number of concurrent reminders, so that a hanging notifier leaves room for other commands.
    static let remindersAtOnceMax = 8
    /// Maximum distance of a reminder from the due date in microseconds.
    static let remindBeforeMax = Int64(TodoLimits.remindDaysBeforeMax) * UTCDay.microseconds
    /// Maximum difference in days between the client's and the daemon's day of completion, which allows for time zones.
    static let completionDaysMax = 2
    static let recurrenceBytesMax = 256
    /// The name of the source and all attributes.
    static let originBytesMax = 65_536
    static let originAttributesMax = 64
    /// Maximum number of imported field names; each tag counts as one.
    static let originSaidMax = 96
}

extension Todos {
    static func requireLive(_ id: UInt64, _ state: State) throws(Refusal) {
        guard state.items.contains(id) else { throw refusal(.unknownID, "there is no todo \(id)") }
    }

    /// Only the event of a delivered reminder sets `reminded`.
    static var remindedNotAllowed: Refusal { refusal(.fieldNotAllowed, "only the daemon sets “reminded”; omit it") }

    static func unknownIndex(_ index: Int, _ state: State) -> Refusal {
        refusal(.unknownIndex, "there is no index \(index), the list has \(state.items.count) todos")
    }

    static func requireRoom(for added: Int, _ state: State) throws(Refusal) {
        guard added <= Limits.todosMax - state.items.count else {
            throw refusal(.tooManyTodos, "the list has \(state.items.count) todos, at most \(Limits.todosMax) are allowed")
        }
    }

    static func prepareDetails(_ todo: inout Todo, _ state: State) throws(Refusal) {
        try require(todo.note, bytesMax: TodoLimits.noteBytesMax, .noteTooLong, "the note")
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

    static func prepared(_ changes: TodoChanges, of id: UInt64, _ state: State) throws(Refusal) -> TodoChanges {
        var changes = changes
        if changes.reminded != nil { throw remindedNotAllowed }
        let origin = changes.origin ?? state.items[id]?.origin ?? TodoOrigin()
        if let title = changes.title {
            changes.title = try origin.isInitial ? preparedTitle(title) : preparedImportedTitle(title)
        }
        if let origin = changes.origin { try requireAllowed(origin: origin) }
        if let note = changes.note { try require(note, bytesMax: TodoLimits.noteBytesMax, .noteTooLong, "the note") }
        if let tags = changes.tags { changes.tags = try preparedTags(tags) }
        if let after = changes.after {
            let others = try preparedAfter(after, of: id, state)
            var links = DependencyCycle.linksMax(of: 1)
            try requireNoCycle(others, of: id, state, links: &links)
            changes.after = others
        }
        if let every = changes.every { changes.every = try preparedRecurrence(every) }
        if changes.due != nil || changes.remind != nil || changes.remindBefore != nil {
            try prepareReminder(&changes, of: state.items[id])
        }
        return changes
    }

    static func preparedTitle(_ text: String) throws(Refusal) -> String {
        // Checked before trimming, so that the time for a large text is bounded.
        try requireAllowed(title: text)
        let title = TitleRule.trimmed(text)
        guard TitleRule.charactersMissing(in: title) == 0 else { throw refusal(.titleTooShort, TitleRule.sentence) }
        return title
    }

    /// Trims a title from a data source; it may be short.
    static func preparedLoadedTitle(_ text: String) throws(Refusal) -> String {
        try requireAllowed(title: text)
        return TitleRule.trimmed(text)
    }

    /// Trims the title of an imported todo; it may be short but not blank.
    static func preparedImportedTitle(_ text: String) throws(Refusal) -> String {
        let title = try preparedLoadedTitle(text)
        guard !TitleRule.isBlank(title) else { throw refusal(.titleTooShort, "a title needs a visible character") }
        return title
    }

    static func requireAllowed(title: String) throws(Refusal) {
        try require(title, bytesMax: TodoLimits.titleBytesMax, .titleTooLong, "the title")
    }

    static func require(_ text: String, bytesMax: Int, _ name: RefusalName, _ noun: String) throws(Refusal) {
        guard text.utf8.count > bytesMax else { return }
        throw refusal(name, "\(noun) has \(text.utf8.count) bytes, at most \(bytesMax) are allowed")
    }

    static func preparedTags(_ tags: [String]) throws(Refusal) -> [String] {
        guard tags.count <= TodoLimits.tagsMax else {
            throw refusal(.tooManyTags, "\(tags.count) tags are given, at most \(TodoLimits.tagsMax) are allowed")
        }
        for tag in tags { try require(tag, bytesMax: TodoLimits.tagBytesMax, .tagTooLong, "a tag") }
        var prepared: [String] = []
        var seen: Set<String> = []
        for tag in tags {
            let tag = TitleRule.trimmed(tag)
            guard !tag.isEmpty else { throw refusal(.tagEmpty, "a tag needs at least one character") }
            // The set treats composed and decomposed letters as equal. Comparing all pairs as bytes would take quadratic time.
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
            throw refusal(
                .originTooLarge,
                "the origin has \(bytes) bytes, \(origin.attributes.count) attributes and \(origin.said.count) field names, at most "
                    + "\(Limits.originBytesMax), \(Limits.originAttributesMax) and \(Limits.originSaidMax) are allowed")
        }
    }

    private static func preparedAfter(_ ids: [UInt64], of id: UInt64, _ state: State) throws(Refusal) -> [UInt64] {
        guard ids.count <= TodoLimits.afterMax else {
            throw refusal(
                .tooManyDependencies, "the todo depends on \(ids.count) todos, at most \(TodoLimits.afterMax) are allowed")
        }
        for other in ids {
            guard other != id else { throw refusal(.dependsOnItself, "todo \(id) can't be done after itself") }
            guard ElementID.range.contains(other), other < state.nextID else {
                throw refusal(.idNotHandedOut, "there never was a todo \(other) to depend on")
            }
        }
        var prepared: [UInt64] = []
        for other in ids where !prepared.contains(other) { prepared.append(other) }
        return prepared
    }

    /// Refuses dependencies that would form a cycle; a todo without an ID is new and can't be part of one.
    static func requireNoCycle(_ after: [UInt64], of id: UInt64, _ state: State, links: inout Int) throws(Refusal) {
        guard let cycle = DependencyCycle.closed(by: after, of: id, in: state, links: &links) else { return }
        throw refusal(.dependencyRing, cycle.sentence)
    }
}

/// A cycle of dependencies: each todo comes after the next, and the last one after the first.
///
/// Only commands are refused because of a cycle. An undo or a merge may restore one, so code that follows `after` must expect cycles.
struct DependencyCycle: Equatable {
    /// The IDs of the cycle; the first one is repeated at the end.
    let ids: [UInt64]
    private static let namedMax = 10

    /// Maximum number of dependencies to follow for this number of changed todos; a longer cycle is not detected.
    static func linksMax(of todos: Int) -> Int { 512 * min(todos, 128) }

    /// Returns the shortest cycle that would result if a todo came after others; follows at most `links` dependencies.
    static func closed(by others: [UInt64], of id: UInt64, in state: Todos.State, links: inout Int) -> DependencyCycle? {
        var waiting: [(id: UInt64, previous: Int?)] = others.map { ($0, nil) }
        var seen = Set(others)
        var next = 0
        while next < waiting.count {
            for before in state.items.read(waiting[next].id, { $0.after }) ?? [] {
                if before == id { return DependencyCycle(ids: [id] + path(to: next, of: waiting) + [id]) }
                links -= 1
                guard links > 0 else { return nil }
                if seen.insert(before).inserted { waiting.append((before, next)) }
            }
            next += 1
        }
        return nil
    }

    private static func path(to last: Int, of waiting: [(id: UInt64, previous: Int?)]) -> [UInt64] {
        var (path, next) = ([UInt64](), Optional(last))
        while let index = next {
            path.append(waiting[index].id)
            next = waiting[index].previous
        }
        return path.reversed()
    }

    var sentence: String {
        let named = ids.count <= Self.namedMax ? ids.map { String($0) } : ids.prefix(Self.namedMax - 1).map { String($0) } + ["…"]
        return "these would wait for each other: " + named.joined(separator: " after ")
    }
}
