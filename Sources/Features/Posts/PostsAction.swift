public import Fields

extension Posts {
    /// What can happen to the posts: as dispatched, and, with the ids filled in by `prepare`, as logged.
    public enum Action: Cased {
        /// Fetches the first page, which then replaces all posts.
        case fetch
        /// Fetches the next page, whose posts then come behind all others.
        case more
        /// Wants a post as a todo. The app makes one of it; nothing about the posts changes, so it is never logged.
        case add(UInt64)
        /// A fact: the first page. `nextPage` is the number of the next one, 0 if there is none.
        case set([Post], nextPage: Int64)
        /// A fact: the next page; logged with the posts that are new.
        case append([Post], nextPage: Int64)
        /// A fact: a page could not be fetched; why, as a sentence.
        case failed(String)
        /// Puts posts back, each with its id to its place, and takes others away: what happened is taken back. No client dispatches it.
        case restore(TablePatch<Post>, nextPage: Int64)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .fetch
            case 2: .more
            case 3: .add(0)
            case 4: .set([], nextPage: 0)
            case 5: .append([], nextPage: 0)
            case 6: .failed("")
            case 7: .restore(TablePatch(), nextPage: 0)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .fetch:
                visitor.choose(1, "fetch")
                return .fetch
            case .more:
                visitor.choose(2, "more")
                return .more
            case .add(var id):
                visitor.choose(3, "add")
                try visitor.field(1, "id", &id, .needed)
                return .add(id)
            case .set(var posts, var nextPage):
                visitor.choose(4, "set")
                try visitor.field(1, "items", &posts, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                return .set(posts, nextPage: nextPage)
            case .append(var posts, var nextPage):
                visitor.choose(5, "append")
                try visitor.field(1, "items", &posts, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                return .append(posts, nextPage: nextPage)
            case .failed(var reason):
                visitor.choose(6, "failed")
                try visitor.field(1, "reason", &reason, .required)
                return .failed(reason)
            case .restore(var patch, var nextPage):
                visitor.choose(7, "restore")
                try visitor.field(1, "items", &patch, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                return .restore(patch, nextPage: nextPage)
            }
        }
    }
}

extension Posts {
    /// Requests for pages, and facts for what those brought.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .set, .append, .failed, .restore: .fact
        case .fetch, .more: .request
        case .add: .order
        }
    }

    /// What a fact says that failed, for an alert.
    public static func failure(toldBy action: Action) -> String? {
        if case .failed(let reason) = action { "the posts could not be fetched: \(reason)" } else { nil }
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .fetch, .more, .failed: Field.loading
        case .set, .append: [Field.items, Field.nextPage, Field.loading, Field.nextID]
        case .restore: [Field.items, Field.nextPage, Field.nextID]
        case .add: []
        }
    }
}
