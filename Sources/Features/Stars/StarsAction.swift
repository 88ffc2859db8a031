import ActionCoding

extension Stars {
    /// What can happen to a star button, which is named by its id.
    public enum Action: Sendable {
        /// Presses the button; logged as `staring` or `unstaring`, and not at all during a request.
        case press(String)
        /// Gives a star; only where there is none.
        case staring(String)
        /// Takes the star back; only where there is one.
        case unstaring(String)
        /// A fact: the star was given.
        case starred(String)
        /// A fact: the star was taken back.
        case unstarred(String)
        /// A fact: the request failed; why, as a sentence. The button shows again what it showed before.
        case failed(String, reason: String)
    }
}

extension Stars.Action: Equatable {
    /// Compares the canonical bytes, so ids by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
