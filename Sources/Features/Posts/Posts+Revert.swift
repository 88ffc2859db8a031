public import Chronicle

extension Posts {
    /// Reverts changes of posts and of the next page; a post that has changed since is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        reverted.dropDuplicates(keeping: present)
        return reverted
    }

    /// A patch, and a new request if a page was being fetched.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        var actions: [Action] = []
        if !patch.isEmpty || present.nextPage != wanted.nextPage { actions.append(.restore(patch, nextPage: wanted.nextPage)) }
        if wanted.loading, !present.loading { actions.append(wanted.nextPage > 0 && !wanted.items.isEmpty ? .more : .fetch) }
        return actions
    }
}

extension RevertResult<Posts.State> {
    /// Drops restored posts whose key another post has now.
    fileprivate mutating func dropDuplicates(keeping present: Posts.State) {
        guard state.items != present.items else { return }
        var owners: [[UInt8]: UInt64] = [:]
        var duplicates: [UInt64] = []
        state.items.forEach { id, post in
            let key = post.keyBytes
            guard let owner = owners[key] else {
                owners[key] = id
                return true
            }
            let isNew = !present.items.contains(id)
            duplicates.append(isNew ? id : owner)
            if !isNew { owners[key] = id }
            return true
        }
        for id in duplicates {
            state.items.remove(id)
            conflicts.append(Conflict("items[\(id)]", expected: nil, found: ["key": .text("another post has it by now")]))
        }
    }
}
