public import Fields

/// The posts of a feed, page by page.
///
/// The posts are an ordered set: no two have the same key, by its bytes. The latest request wins.
public enum Posts: Feature {
    /// The bits of the fields of the state, in their order.
    enum Field {
        static let items = ScopeSet(index: 0)
        static let nextPage = ScopeSet(index: 1)
        static let loading = ScopeSet(index: 2)
        static let nextID = ScopeSet(index: 3)
    }

    /// A post of the list; what a person who names it is refused with: `UnknownID`.
    public static func post(_ id: UInt64, in state: State) throws(Refusal) -> Post {
        guard let post = state.items[id] else { throw Refusal("UnknownID", "there is no post \(id)") }
        return post
    }

    /// Applies a logged action; what doesn't fit the state changes nothing but `nextID`.
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

        case .failed:
            state.loading = false

        case .restore(let patch, let nextPage):
            state.apply(patch)
            state.setNextPage(nextPage)

        case .add:
            // Never logged: it is about a todo.
            break
        }
        return []
    }

    /// What a screen shows: a title, whether there is more to fetch, and a row for each post.
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

    /// The largest of everything; `prepare` keeps to it, and the fold is not asked again.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Posts in the list; further ones are left out, and there is no next page.
        public static let postsMax = 5_000
        /// Posts of one page; further ones are left out.
        public static let pagePostsMax = 1_000
        /// UTF-8 bytes of a key; a post with a longer one is left out.
        public static let keyBytesMax = 2048
        /// UTF-8 bytes of a link; a longer one is left out.
        public static let linkBytesMax = 2048
        /// UTF-8 bytes of a title; a longer one is cut.
        public static let titleBytesMax = 4096
        /// UTF-8 bytes of a summary; a longer one is cut.
        public static let summaryBytesMax = 4096
        /// UTF-8 bytes of a reason; a longer one is cut.
        public static let reasonBytesMax = 4096
    }
}
