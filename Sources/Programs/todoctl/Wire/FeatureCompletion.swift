import ArgumentParser

/// What a shell offers where something of the daemon's features is to be typed.
enum FeatureCompletion {
    /// The daemon's own, asked for while the shell waits; nothing, if it can't be asked.
    ///
    /// - Parameter words: the command line, as the shell takes it apart.
    static func candidates(_ words: [String], _ pick: (DispatchableFeature) -> [String]) -> [String] {
        do throws(Failure) {
            let client = Client(socket: try SocketChoice.path(option: socket(in: words)), patience: 0)
            return try DispatchableFeature.all(of: client).flatMap(pick).map { quoted($0, for: CompletionShell.requesting) }
        } catch { return [] }
    }

    /// The value of `--socket` among the words.
    static func socket(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--socket", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--socket=") { return String(word.dropFirst("--socket=".count)) }
        }
        return nil
    }

    /// As the script for a shell takes it: bash takes quotes away from what it is offered, and to zsh a description stands behind a colon.
    static func quoted(_ candidate: String, for shell: CompletionShell?) -> String {
        switch shell {
        case .bash?: "'" + candidate.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        case .zsh?: candidate.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
        default: candidate
        }
    }
}
