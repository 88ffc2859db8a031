public import Chronicle

extension Posts {
    /// Decides a dispatched action and assigns IDs to new posts; a post that is already in the list keeps its ID.
    ///
    /// Posts without a key and posts beyond the limits are dropped, and long texts are truncated, so that one bad entry doesn't hide the
    /// rest of a feed.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .fetch:
            return [action]

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

        case .restore:
            return [action]

        case .failed(let reason):
            return [.failed(reason.prefix(bytesMax: Limits.reasonBytesMax))]
        }
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
}
