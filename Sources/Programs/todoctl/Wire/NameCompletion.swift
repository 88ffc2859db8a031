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
            let client = try Client(socket: socket(of: words), patience: 0)
            return try DispatchableFeature.all(of: client).flatMap(pick).map { quoted($0, for: CompletionShell.requesting) }
        } catch { return [] }
    }

    /// The socket that a command line names: of a daemon, or of a fork's, before the verb or behind it.
    static func socket(
        of words: [String], environment: (String) -> String? = Environment.variable
    ) throws(Failure) -> String {
        var whole: [String] = []
        for (index, word) in words.enumerated() {
            // Bash takes `--socket=PATH` apart at its sign.
            let isValue = index > 0 && words[index - 1] == "="
            if index > 0, word == "=" || isValue, let last = whole.popLast() {
                whole.append(last + word)
            } else {
                whole.append(word)
            }
        }
        var named: [String: String] = [:]
        let rest = try Todoctl.takingGlobals(from: whole.dropFirst()) { named[$0] = $1 }
        var option: String?
        for (index, word) in rest.enumerated() {
            if word == "--socket", rest.indices.contains(index + 1) { option = rest[index + 1] }
            if word.hasPrefix("--socket=") { option = String(word.dropFirst("--socket=".count)) }
        }
        return try SocketChoice.path(option: option) { named[$0] ?? environment($0) }
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
