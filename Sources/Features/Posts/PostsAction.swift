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

        /// One of each case.
        public static let blanks: [Action?] = [
            .fetch, .more, .add(0), .set([], nextPage: 0), .append([], nextPage: 0), .failed(""),
            .restore(TablePatch(), nextPage: 0),
        ]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            switch self {
            case .fetch: visitor.choose(1, "fetch")
            case .more: visitor.choose(2, "more")
            case .add(var id):
                visitor.choose(3, "add")
                try visitor.field(1, "id", &id, .needed)
                self = .add(id)
            case .set(var posts, var nextPage):
                visitor.choose(4, "set")
                try visitor.field(1, "items", &posts, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                self = .set(posts, nextPage: nextPage)
            case .append(var posts, var nextPage):
                visitor.choose(5, "append")
                try visitor.field(1, "items", &posts, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                self = .append(posts, nextPage: nextPage)
            case .failed(var reason):
                visitor.choose(6, "failed")
                try visitor.field(1, "reason", &reason, .required)
                self = .failed(reason)
            case .restore(var patch, var nextPage):
                visitor.choose(7, "restore")
                try visitor.field(1, "items", &patch, .required)
                try visitor.field(2, "nextPage", &nextPage, .shown)
                self = .restore(patch, nextPage: nextPage)
            }
        }
    }
}
