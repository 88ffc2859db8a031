import Reducing

extension Posts {
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
