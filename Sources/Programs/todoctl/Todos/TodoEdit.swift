import Dates

/// An edit of several todos: common changes, and changes that depend on the todo.
struct TodoEdit: Equatable {
    /// The common changes.
    var draft: TodoDraft
    /// `nil` keeps the reminder.
    var reminder: ReminderTime?
    /// Added tags.
    var tags: [String] = []
    /// Removed tags.
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
