public import Chronicle

extension Posts {
    /// Decides a dispatched action and assigns IDs to new posts; a post that is already in the list keeps its ID.
    ///
    /// Posts without a key and posts beyond the limits are dropped, and long texts are truncated, so that one bad entry doesn't hide the
    /// rest of a feed.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .fetch: return [action]
        case .more:
            guard state.nextPage > 0 else { throw refusal(.noMorePosts, "there is no next page; fetch the first one") }
            return [action]
        case .add(let id):
            _ = try post(id, in: state)
            return []
        case .set(let posts, let nextPage):
            return [.set(try prepared(posts, known: state.idsByKey, state), nextPage: prepared(page: nextPage))]
        case .append(let posts, let nextPage):
            let known = state.idsByKey
            let unseen = posts.filter { known[$0.keyBytes] == nil }
            var prepared = try prepared(unseen, known: [:], state)
            let room = Limits.postsMax - state.items.count
            guard prepared.count > room else { return [.append(prepared, nextPage: Self.prepared(page: nextPage))] }
            prepared.removeLast(prepared.count - max(0, room))
            return [.append(prepared, nextPage: 0)]
        case .restore: return [action]
        case .failed(let reason): return [.failed(reason.prefix(bytesMax: Limits.reasonBytesMax))]
        }
    }

    /// Applies a logged action; an action that doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .fetch:
            state.loading = true
            return [.fetch(page: 1, into: .set)]
        case .more:
            guard state.nextPage > 0 else { return [] }
            state.loading = true
            return [.fetch(page: state.nextPage, into: .append)]
        case .set(let posts, let nextPage):
            state.replaceAll(with: posts)
            state.setNextPage(nextPage)
            state.loading = false
        case .append(let posts, let nextPage):
            state.append(posts)
            state.setNextPage(nextPage)
            state.loading = false
        case .failed: state.loading = false
        case .restore(let patch, let nextPage):
            state.apply(patch)
            state.setNextPage(nextPage)
        case .add:
            // Never logged, because it becomes a todo action.
            break
        }
        return []
    }

    public static func post(_ id: UInt64, in state: State) throws(Refusal) -> Post {
        guard let post = state.items[id] else { throw refusal(.unknownID, "there is no post \(id)") }
        return post
    }

    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(
            [
                "title": .text("Posts - (\(state.items.count))"),
                "loading": .bool(state.loading),
                "moreEnabled": .bool(state.nextPage > 0),
            ],
            lists: [
                ViewList(state.items, at: "rows") { post in
                    [
                        "id": .int(Int64(clamping: post.id)), "title": .text(post.title), "link": .text(post.link),
                        "published": .int(post.published),
                    ]
                }
            ])
    }

    /// `prepare` drops or truncates what exceeds them.
    public enum Limits {
        /// Further posts are dropped, and there is no next page.
        public static let postsMax = 5_000
        static let pagePostsMax = 1_000
        /// A post with a longer key is dropped.
        static let keyBytesMax = 2048
        static let linkBytesMax = 2048
        static let titleBytesMax = 4096
        static let summaryBytesMax = 4096
        static let reasonBytesMax = 4096
    }

    private static func prepared(_ posts: [Post], known: [[UInt8]: UInt64], _ state: State) throws(Refusal) -> [Post] {
        var keys: Set<[UInt8]> = []
        var prepared: [Post] = []
        var nextID = state.nextID
        for var post in posts where prepared.count < Limits.pagePostsMax {
            let key = post.keyBytes
            guard (1...Limits.keyBytesMax).contains(key.count), keys.insert(key).inserted else { continue }
            if let id = known[key] {
                post.id = id
            } else {
                guard ElementID.range.contains(nextID) else {
                    throw refusal(.idsExhausted, "there are no ids left for more posts")
                }
                post.id = nextID
                nextID += 1
            }
            post.title = post.title.prefix(bytesMax: Limits.titleBytesMax)
            post.summary = post.summary.prefix(bytesMax: Limits.summaryBytesMax)
            if post.link.utf8.count > Limits.linkBytesMax { post.link = "" }
            if post.published.magnitude > Int64.exactMax.magnitude { post.published = 0 }
            prepared.append(post)
        }
        return prepared
    }

    private static func prepared(page: Int64) -> Int64 { (0...Int64.exactMax).contains(page) ? page : 0 }

    /// Reverts changes of posts and of the next page; a post that has changed since is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        reverted.dropDuplicates(keeping: present)
        return reverted
    }

    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        var actions: [Action] = []
        if !patch.isEmpty || present.nextPage != wanted.nextPage { actions.append(.restore(patch, nextPage: wanted.nextPage)) }
        if wanted.loading, !present.loading { actions.append(wanted.nextPage > 0 && !wanted.items.isEmpty ? .more : .fetch) }
        return actions
    }

    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { end.reason.map(Action.failed) }
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

extension Posts.Command {
    public var policy: CommandPolicy { CommandPolicy(cancelID: "fetch") }
}

extension Posts.State {
    public var fault: ValueMismatch? {
        if !(0...Int64.exactMax).contains(nextPage) { return ValueMismatch("nextPage", "a whole number from 0 is expected") }
        if idsByKey.count < items.count { return ValueMismatch("items", "posts with different ids and keys are expected") }
        return nil
    }

    mutating func setNextPage(_ page: Int64) { nextPage = max(0, min(page, Int64.exactMax)) }

    var idsByKey: [[UInt8]: UInt64] {
        var ids: [[UInt8]: UInt64] = [:]
        ids.reserveCapacity(items.count)
        items.forEachByID { id, post in
            ids[post.keyBytes] = id
            return true
        }
        return ids
    }

    mutating func append(_ posts: [Post]) {
        var seen = Set(idsByKey.keys)
        for post in posts {
            raiseNextID(above: post.id)
            Self.append(post, to: &items, &seen)
        }
    }

    /// Replaces all posts; a post with a duplicate ID or key is dropped.
    mutating func replaceAll(with posts: [Post]) {
        var replaced = OrderedTable<Post>()
        var seen: Set<[UInt8]> = []
        for post in posts {
            raiseNextID(above: post.id)
            Self.append(post, to: &replaced, &seen)
        }
        // Identical posts keep sharing storage with the previous state.
        if replaced != items { items = replaced }
    }

    /// Applies a patch; a post whose key another post has is dropped.
    mutating func apply(_ patch: TablePatch<Post>) {
        for place in patch.placed { raiseNextID(above: place.element.id) }
        for id in patch.removed { items.remove(id) }
        var owners = idsByKey
        TablePatch(placed: patch.placed).apply(to: &items) { post, items in
            let key = post.keyBytes
            guard ElementID.range.contains(post.id), owners[key] ?? post.id == post.id else { return false }
            if let before = items[post.id] { owners[before.keyBytes] = nil }
            owners[key] = post.id
            return true
        }
    }

    private static func append(_ post: Post, to items: inout OrderedTable<Post>, _ seen: inout Set<[UInt8]>) {
        guard ElementID.range.contains(post.id) else { return }
        let key = post.keyBytes
        if !seen.contains(key), items.append(post, id: post.id) { seen.insert(key) }
    }
}

extension Post {
    /// The key in bytes, because Unicode-equivalent keys may belong to different posts.
    var keyBytes: [UInt8] { Array(key.utf8) }
}
