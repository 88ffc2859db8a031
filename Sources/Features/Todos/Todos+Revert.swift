public import Chronicle

extension Todos {
    /// Reverts the changes of each todo, except that a reminder was delivered.
    ///
    /// A restored reminder counts as delivered if it is not later than the last delivered one.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        var (corrected, conflicts) = ([Todo](), [Conflict]())
        var coming: [Todo] = []
        reverted.state.items.forEachDifference(from: present.items, of: { $0 }, isSame: ==) { was, todo in
            guard var todo else { return true }
            if todo.isRecurring, was?.isRecurring != true { coming.append(todo) }
            guard let was else { return true }
            let merged = todo
            // A reminder before the due date moves with it, also if one of both was changed later.
            if let time = todo.remindBefore, (todo.due, todo.remindBefore, todo.remind) != (was.due, was.remindBefore, was.remind)
            {
                if let remind = try? reminder(time, aheadOf: todo.due) {
                    todo.remind = remind
                    let last = after.items[todo.id]?.remind
                    if was.remindBefore == nil, was.remind != last, was.remind != remind {
                        conflicts.append(Conflict("items[\(todo.id)].remind", expected: last?.value, found: was.remind?.value))
                    }
                } else {
                    todo.remindBefore = nil
                    let path = "items[\(todo.id)].remindBefore"
                    conflicts.append(
                        Conflict(path, expected: after.items[todo.id]?.remindBefore?.value, found: was.remindBefore?.value))
                }
            }
            todo.reminded = reminder(givenOf: todo, now: was, before.items[todo.id])
            if todo != merged { corrected.append(todo) }
            return true
        }
        for todo in corrected { reverted.state.items.update(todo.id) { $0 = todo } }
        reverted.conflicts += conflicts
        dropDuplicates(from: &reverted, of: coming, present, before)
        return reverted
    }

    /// Returns the delivered reminder of a reverted todo, from its current and its previous version.
    private static func reminder(givenOf todo: Todo, now present: Todo, _ before: Todo?) -> Due? {
        if let remind = todo.remind, let last = present.reminded, remind <= last { return remind }
        // `reminded` is only meaningful together with the reminder that it refers to.
        guard let before, before.remind == todo.remind else { return todo.reminded }
        return before.reminded
    }
}
