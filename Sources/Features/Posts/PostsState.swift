public import PersistentCollections
import Reducing

extension Posts {
    /// The posts of the pages fetched so far, and where the next page is.
    public struct State: Sendable, Equatable {
        /// The posts by id, in the order of their feed; no two have the same key.
        public var items = OrderedTable<Post>()
        /// The page to fetch next; 0 if nothing was fetched yet or there are no more.
        public var nextPage: Int64 = 0
        /// Whether a page is being fetched.
        public var loading = false
        /// The id of the next post, above every id that was ever handed out; at most 2^53 - 1.
        public var nextID: UInt64 = 1

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these posts, without those whose id is 0 or too large, and those whose id or key is taken.
        public init(items: [Post], nextPage: Int64 = 0, loading: Bool = false, nextID: UInt64 = 1) {
            self.nextID = max(1, min(nextID, Limits.ids.upperBound + 1))
            self.loading = loading
            append(items)
            setNextPage(nextPage)
        }

        mutating func setNextPage(_ page: Int64) { nextPage = max(0, min(page, Int64.exactMax)) }
    }
}
