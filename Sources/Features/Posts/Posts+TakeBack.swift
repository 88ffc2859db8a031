public import Fields

extension Posts {
    /// Takes back what came, left or changed, and where the next page is; a post that has changed since is a conflict.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = present.takenBack(from: after, to: before)
        takenBack.dropTwins(keeping: present)
        return takenBack
    }

    /// A patch; and where a page was being fetched, a request for it.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        var actions: [Action] = []
        if !patch.isEmpty || present.nextPage != wanted.nextPage { actions.append(.restore(patch, nextPage: wanted.nextPage)) }
        if wanted.loading, !present.loading {
            actions.append(wanted.nextPage > 0 && !wanted.items.isEmpty ? .more : .fetch)
        }
        return actions
    }
}

extension TakenBack<Posts.State> {
    /// Leaves out what came back under a key that another post has by now.
    fileprivate mutating func dropTwins(keeping present: Posts.State) {
        guard state.items != present.items else { return }
        var owners: [[UInt8]: UInt64] = [:]
        var twins: [UInt64] = []
        state.items.forEach { id, post in
            let key = post.keyBytes
            guard let owner = owners[key] else {
                owners[key] = id
                return true
            }
            let isNew = !present.items.contains(id)
            twins.append(isNew ? id : owner)
            if !isNew { owners[key] = id }
            return true
        }
        for id in twins {
            state.items.remove(id)
            conflicts.append(Conflict("items[\(id)]", expected: nil, found: ["key": .text("another post has it by now")]))
        }
    }
}
