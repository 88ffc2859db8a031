import ArgumentParser
import Glibc

/// What a shell offers where something of the daemon's features is to be typed.
enum FeatureCompletion {
    /// Seconds after which nothing is offered: the person's shell waits.
    private static let secondsMax: UInt32 = 2

    /// The daemon's own, asked for while the shell waits; nothing, if it can't be asked.
    ///
    /// - Parameters:
    ///   - words: the command line, as the shell takes it apart.
    ///   - index: the word that is being typed.
    static func candidates(_ words: [String], _ index: Int, _ pick: (DispatchableFeature) -> [String]) -> [String] {
        // Behind a brace without its backslash bash would put the whole once more.
        if words.indices.contains(index), words[index].hasPrefix("{"), CompletionShell.requesting == .bash { return [] }
        // The process does nothing else, so it may end like this; whatever the daemon does, or doesn't.
        signal(SIGALRM) { _ in _exit(0) }
        alarm(secondsMax)
        do throws(Failure) {
            let client = try Client(socket: SocketChoice.path(option: socket(in: words)), patience: 0)
            return try DispatchableFeature.all(of: client).flatMap(pick).map { quoted($0, for: CompletionShell.requesting) }
        } catch { return [] }
    }

    /// The value of `--socket` among the words.
    static func socket(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            // Bash takes `--socket=PATH` apart at its sign.
            let rest = words[(index + 1)...].drop { $0 == "=" }
            if word == "--socket", let path = rest.first { return path }
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
