public import Fields

extension Posts {
    /// The posts of the pages fetched so far, and where the next page is.
    public struct State: Fielded {
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

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.rows(1, "items", &items)
            try visitor.field(2, "nextPage", &nextPage, .shown)
            try visitor.field(3, "loading", &loading, .shown, undone: .ifUntouched)
            try visitor.nextID(4, "nextID", &nextID)
        }

        /// A page below 0, or a key that two posts have.
        public var fault: ValueMismatch? {
            if !(0...Int64.exactMax).contains(nextPage) { return ValueMismatch("nextPage", "a whole number from 0 is expected") }
            if idsByKey.count < items.count { return ValueMismatch("items", "posts with different ids and keys are expected") }
            return nil
        }

        mutating func setNextPage(_ page: Int64) { nextPage = max(0, min(page, Int64.exactMax)) }
    }
}
