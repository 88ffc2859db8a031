import Reducing

extension Todos {
    /// The largest of everything; `prepare` refuses more, and the fold is not asked again.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Todos in the list.
        public static let todosMax = 10_000_000
        /// The fewest characters (grapheme clusters) of a title that somebody adds.
        public static let titleCharactersMin = 3
        /// UTF-8 bytes of a title.
        public static let titleBytesMax = 4096
        /// UTF-8 bytes of a note.
        public static let noteBytesMax = 65_536
        /// Tags of one todo.
        public static let tagsMax = 64
        /// UTF-8 bytes of a tag.
        public static let tagBytesMax = 256
        /// UTF-8 bytes of the text in the input field.
        public static let draftBytesMax = 65_536
        /// UTF-8 bytes of the reason of a failure; what is longer is cut.
        public static let reasonBytesMax = 4096
        /// Todos that are put back by one action when something is taken back.
        static let putBackMax = 256
    }
}
