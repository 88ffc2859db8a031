import Reducing

extension Flows {
    /// The largest of everything; `prepare` refuses more.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Open flows.
        public static let itemsMax = 100
        /// UTF-8 bytes of the name of a kind.
        public static let kindBytesMax = 100
        /// UTF-8 bytes of an answer.
        public static let answerBytesMax = 4_096
    }
}
