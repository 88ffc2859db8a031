import Reducing

extension Alerts {
    /// The largest of everything.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Alerts that are kept; one more, and the oldest leaves.
        public static let alertsMax = 100
        /// UTF-8 bytes of a text; what is longer is cut.
        public static let textBytesMax = 4096
    }
}
