import Dates

/// What an edit makes of todos: what is the same for all of them, and what follows from how each is.
struct TodoEdit: Equatable {
    /// What is the same for all of them.
    var draft: TodoDraft
    /// When to remind of each; `nil`: as before.
    var reminder: ReminderTime?
    /// The tags that each gets.
    var tags: [String] = []
    /// The tags that each loses.
    var untag: [String] = []

    /// Whether it follows from how a todo is: from its tags, or from when it is due.
    var isOfEach: Bool {
        let isOfDate = draft.due == nil && (draft.ruleMinute != nil || reminder?.isCounted == true)
        return isOfDate || !tags.isEmpty || !untag.isEmpty
    }

    /// What becomes of one todo; `nil` where it is the same for all.
    ///
    /// - Throws: for a reminder that is over, or counted from a date that there is not.
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
