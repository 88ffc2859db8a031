extension Stars {
    /// The largest of everything.
    public enum Limits {
        /// UTF-8 bytes of an id; it has at least one.
        public static let idBytesMax = 100
        /// Star buttons that don't stand as they began.
        public static let starsMax = 1_000
        /// UTF-8 bytes of a reason; what is longer is cut.
        public static let reasonBytesMax = 4096

        static func allows(id: String) -> Bool { (1...idBytesMax).contains(id.utf8.count) }
    }
}
