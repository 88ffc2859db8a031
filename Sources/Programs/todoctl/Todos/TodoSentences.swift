import Dates

struct TodoSentences {
    static let namedMax = 10

    var ids: [Int64]
    var before: [Int64: Todo] = [:]

    /// `Done 3: Call the bank`, or `3 was done already: Call the bank`.
    var done: [String] { said("Done", .done) }

    /// `Next 12: Water the plants (due Monday 7 December 2026, remind Sunday 6 December 2026 09:00)`.
    static func next(_ todos: [Todo]) -> [String] {
        todos.map { todo in
            let due = todo.due.map { "due " + $0.long } ?? todo.wait.map { "waits until " + $0.long }
            let remind = todo.waitsForReminder ? todo.remind.map { "remind " + $0.long } : nil
            let dates = [due, remind].compactMap(\.self)
            return "Next \(todo.id): \(Visible.text(todo.title))"
                + (dates.isEmpty ? "" : " (\(dates.joined(separator: ", ")))")
        }
    }

    /// `Reopened 3: Call the bank`.
    var open: [String] { said("Reopened", .reopened) }

    /// `Removed 3: Call the bank`.
    var removed: [String] { said("Removed", .removed) }

    /// `Moved 3: Call the bank`, or `3 was there already: Call the bank`.
    func moved(_ hasMoved: Bool) -> [String] { said("Moved", .moved(hasMoved)) }

    /// `4: due Thu 26 Nov 2026 → Fri 27 Nov 2026`.
    ///
    /// - Parameters:
    ///   - now: the time of the edit.
    ///   - edit: the changes of each todo.
    func changed(at now: Moment, _ edit: (Int64) -> TodoDraft) -> [String] {
        guard ids.count <= Self.namedMax else {
            let (changed, same) = changes(at: now, edit)
            let given = changed.count { $0.contains { $0.hasSuffix(Self.givenAtOnce) } }
            let reminders = given == 0 ? "" : "; \(Digits.counted(given, "reminder is", "reminders are")) given at once"
            return [TodoOutcome.changed.told("Changed", changed.count, besides: same) + reminders + "."]
        }
        return ids.map { id in
            guard let old = before[id] else { return "Changed \(id)." }
            let differences = Self.differences(old, old.changed(by: edit(id)), at: now)
            return "\(id): " + (differences.isEmpty ? "it was so already" : differences.joined(separator: ", "))
        }
    }

    /// A preview like `changed`, for the first todos and the number of others.
    func wouldBeChanged(at now: Moment, _ edit: (Int64) -> TodoDraft) -> [String] {
        let shown = TodoSentences(ids: Array(ids.prefix(Self.namedMax)), before: before)
        let rest = ids.count - shown.ids.count
        let (changed, same) = changes(at: now, edit)
        return [TodoOutcome.changed.heading(changed.count, besides: same) + ":"] + shown.changed(at: now, edit)
            + (rest > 0 ? ["and \(Digits.grouped(rest)) more"] : [])
    }

    /// The differences of each changed todo, and the number of unchanged ones.
    private func changes(at now: Moment, _ edit: (Int64) -> TodoDraft) -> (changed: [[String]], same: Int) {
        // Unknown todos are left out.
        let all = Set(ids).map { id in before[id].map { Self.differences($0, $0.changed(by: edit(id)), at: now) } ?? ["?"] }
        let changed = all.filter { !$0.isEmpty }
        return (changed, all.count - changed.count)
    }

    private static let givenAtOnce = " (past: given at once)"

    private func said(_ verb: String, _ fate: TodoOutcome) -> [String] {
        guard ids.count <= Self.namedMax else {
            let all = Set(ids)
            let others = all.count { before[$0].map(fate.isSo) == true }
            return [fate.told(verb + ":", all.count - others, besides: others) + "."]
        }
        return ids.map { id in
            guard let todo = before[id] else { return "\(verb) \(id)." }
            return (fate.isSo(todo) ? "\(id) was \(fate.state) already: " : "\(verb) \(id): ") + Visible.text(todo.title)
        }
    }

    /// The differences: `due Thu 26 Nov 2026 → none`, `+work`, `-home`.
    ///
    /// - Parameter now: the time of the edit, so that a reminder in the past counts as delivered.
    static func differences(_ old: Todo, _ new: Todo, at now: Moment? = nil) -> [String] {
        var differences: [String] = []
        if new.title != old.title { differences.append("\(Visible.text(old.title)) → \(Visible.text(new.title))") }
        if new.isDone != old.isDone { differences.append(new.isDone ? "done" : "open again") }
        if new.due != old.due {
            differences.append("due \(old.due?.short ?? "none") → \(new.due?.short ?? "none")")
        }
        if new.wait != old.wait {
            differences.append("waits until \(old.wait?.short ?? "none") → \(new.wait?.short ?? "none")")
        }
        if new.every != old.every {
            differences.append("recurs \(Self.rule(old)) → \(Self.rule(new))")
        }
        if new.remind != old.remind {
            let isOver = now.flatMap { now in new.remind?.isOver(at: now) } == true
            let end = isOver && new.waitsForReminder ? Self.givenAtOnce : ""
            differences.append("remind \(old.remind?.short ?? "never") → \(new.remind?.short ?? "never")\(end)")
        }
        if new.remind == old.remind, new.remindBefore != old.remindBefore {
            differences.append(new.remindBefore == nil ? "reminder stays when the due moves" : "reminder moves with the due")
        }
        if new.reminded != old.reminded, let reminded = new.reminded {
            differences.append("reminded \(reminded.short)")
        }
        if new.after != old.after { differences.append("after \(ids(old.after)) → \(ids(new.after))") }
        if new.priority != old.priority {
            let (before, after) = (Priority(level: old.priority), Priority(level: new.priority))
            differences.append("priority \(before.name) → \(after.name)")
        }
        differences += new.tags.filter { !old.tags.contains($0) }.map { "+" + Visible.text($0) }
        differences += old.tags.filter { !new.tags.contains($0) }.map { "-" + Visible.text($0) }
        if new.origin != old.origin { differences.append("other details from its file") }
        if new.note != old.note {
            differences.append(new.note.isEmpty ? "note removed" : old.note.isEmpty ? "note added" : "note changed")
        }
        return differences
    }

    private static func rule(_ todo: Todo) -> String { todo.every.isEmpty ? "never" : Visible.text(todo.every) }

    static func ids(_ ids: [Int64]) -> String { ids.isEmpty ? "none" : ids.map { String($0) }.joined(separator: ", ") }
}

extension TodoSentences {
    init(_ todos: [Todo]) {
        self.init(ids: todos.map(\.id), before: Dictionary(todos.map { ($0.id, $0) }) { first, _ in first })
    }
}

/// The words for what a verb does to todos, including those that need no change.
struct TodoOutcome {
    let word: String
    /// The state of unaffected todos, such as "done".
    let state: String
    let isSo: (Todo) -> Bool

    private init(_ word: String, state: String = "", isSo: @escaping (Todo) -> Bool = { _ in false }) {
        (self.word, self.state, self.isSo) = (word, state, isSo)
    }

    static var done: TodoOutcome { TodoOutcome("done", state: "done", isSo: \.isDone) }
    static var reopened: TodoOutcome { TodoOutcome("reopened", state: "open") { !$0.isDone } }
    static var removed: TodoOutcome { TodoOutcome("removed") }
    static var changed: TodoOutcome { TodoOutcome("changed", state: "so") }

    static func moved(to place: String) -> TodoOutcome { TodoOutcome("moved to \(place)") }

    static func moved(_ hasMoved: Bool) -> TodoOutcome { TodoOutcome("moved", state: "there") { _ in !hasMoved } }

    /// A preview: `3 todos would be done; 1 is done already`.
    func heading(of todos: [Todo]) -> String {
        let others = todos.count(where: isSo)
        return heading(todos.count - others, besides: others)
    }

    func heading(_ count: Int, besides others: Int) -> String {
        let rest = others == 0 ? "" : "; \(Digits.grouped(others)) \(others == 1 ? "is" : "are") \(state) already"
        return "\(Digits.counted(count, "todo")) would be \(word)\(rest)"
    }

    /// `Done: 21 todos; 9 were done already`, or `9 todos were done already`.
    func told(_ said: String, _ count: Int, besides others: Int) -> String {
        let were = others == 1 ? "was" : "were"
        if count == 0, others > 0 { return "\(Digits.counted(others, "todo")) \(were) \(state) already" }
        let rest = others == 0 ? "" : "; \(Digits.grouped(others)) \(were) \(state) already"
        return "\(said) \(Digits.counted(count, "todo"))\(rest)"
    }
}
