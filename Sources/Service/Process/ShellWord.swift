/// A text as one word of a shell's command line.
enum ShellWord {
    /// The text as it is typed: in quotes, where the shell would not take it as it stands.
    static func text(of word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)
}
