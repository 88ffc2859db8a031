import Reducing

extension Repositories {
    /// The largest of everything; `prepare` cuts or leaves out what a source brings beyond it.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them exact.
        public static let ids = ElementID.range
        /// Repositories in the list.
        public static let itemsMax = 100
        /// Languages to choose from.
        public static let languagesMax = 1_000
        /// UTF-8 bytes of a language's name.
        public static let languageBytesMax = 100
        /// UTF-8 bytes of a repository's full name.
        public static let nameBytesMax = 256
        /// UTF-8 bytes of a description.
        public static let descriptionBytesMax = 1_024
        /// UTF-8 bytes of an address.
        public static let urlBytesMax = 2_048
        /// UTF-8 bytes of the reason of a failure.
        public static let reasonBytesMax = 1_024
    }
}
