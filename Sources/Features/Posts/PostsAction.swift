import ActionCoding
public import Restoring

extension Posts {
    /// What can happen to the posts: as dispatched, and, with the ids filled in by `prepare`, as logged.
    public enum Action: Sendable {
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
    }
}

extension Posts.Action: Equatable {
    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
