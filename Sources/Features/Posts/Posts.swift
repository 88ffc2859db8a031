public import Chronicle

extension Posts {
    /// Returns a post of the list, or refuses with `UnknownID`.
    public static func post(_ id: UInt64, in state: State) throws(Refusal) -> Post {
        guard let post = state.items[id] else { throw refusal(.unknownID, "there is no post \(id)") }
        return post
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

        case .failed:
            state.loading = false

        case .restore(let patch, let nextPage):
            state.apply(patch)
            state.setNextPage(nextPage)

        case .add:
            // Never logged, because it becomes a todo action.
            break
        }
        return []
    }

    /// A title, whether there are more pages, and a row for each post.
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
}
