import PersistentCollections
public import Reducing
import Restoring

extension Posts {
    /// Takes back what came, left or changed, and where the next page is; a post that has changed since is a conflict.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        let conflicts = restored.state.items.restore(from: after.items, to: before.items) { _, _, before in before }
        restored.conflicts = conflicts.flatMap { Conflict.of($0, in: "items") }
        if after.nextPage != before.nextPage, present.nextPage != before.nextPage {
            if present.nextPage != after.nextPage {
                restored.conflicts.append(
                    Conflict("nextPage", expected: .int(after.nextPage), found: .int(present.nextPage)))
            }
            restored.state.nextPage = before.nextPage
        }
        // Whether something is under way is up to what is under way, and is in nobody's way.
        if present.loading == after.loading { restored.state.loading = before.loading }
        restored.dropTwins(keeping: present)
        return restored
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

extension Restored<Posts.State> {
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
