import ArgumentParser
import Chronicle
import Glibc
import TodoAPI

extension CompletionKind {
    /// The names of this user's forks.
    static let forks = custom { _, _, _ in
        NameCompletion.quoted(((try? ForkPlace.all()) ?? []).map(\.name))
    }

    /// Words that stand for moments, and the daemon's bookmarks.
    static let moments = custom { words, index, _ in
        ["now", "start", "today", "yesterday"]
            + NameCompletion.candidates(words, index) { client throws(Failure) in
                NameCompletion.quoted(try NameCompletion.bookmarks(of: client))
            }
    }

    /// The names of the daemon's bookmarks.
    static let bookmarks = names(NameCompletion.bookmarks(of:))

    /// The names of this user's positions in logs.
    static let positions = custom { _, _, _ in NameCompletion.quoted(PositionFile.names) }

    /// The names of the views that are saved.
    static let views = names { client throws(Failure) in try client.savedViews().map(\.name) }

    /// The names of the daemon's invariants.
    static let invariants = names { client throws(Failure) in
        try client.call(InvariantsMethod.self, NoFields()).invariants.map(\.name)
    }

    /// The ids of the commands that are open.
    static let commands = names { client throws(Failure) in
        try client.all(CommandsMethod.self) { $0.commands.map(\.id.text) }
    }

    /// The names of the daemon's features.
    static let features = features { [$0.name] }

    /// The names of all actions that can be dispatched, each behind its feature.
    static let actions = features { feature in
        feature.actions.map { feature.isOnly ? $0.name : "\(feature.name).\($0.name)" }
    }

    /// An example of each action that can be dispatched, as JSON.
    static let examples = custom { words, index, _ in
        NameCompletion.candidates(words, index) { client throws(Failure) in
            let actions = try DispatchableFeature.all(of: client).flatMap(\.actions)
            return NameCompletion.quoted(examples: actions.map(\.example.description))
        }
    }

    private static func features(_ pick: @escaping @Sendable (DispatchableFeature) -> [String]) -> CompletionKind {
        names { client throws(Failure) in try DispatchableFeature.all(of: client).flatMap(pick) }
    }

    private static func names(_ ask: @escaping @Sendable (Client) throws(Failure) -> [String]) -> CompletionKind {
        custom { words, index, _ in
            NameCompletion.candidates(words, index) { client throws(Failure) in NameCompletion.quoted(try ask(client)) }
        }
    }
}

/// What a shell offers where a name is to be typed that the daemon knows.
enum NameCompletion {
    /// Seconds after which nothing is offered: the person's shell waits.
    private static let secondsMax: UInt32 = 2

    /// The daemon's own, asked for while the shell waits; nothing, if it can't be asked.
    ///
    /// - Parameters:
    ///   - words: the command line, as the shell takes it apart.
    ///   - index: the word that is being typed.
    ///   - ask: gives them as the script of the shell takes them.
    static func candidates(
        _ words: [String], _ index: Int, _ ask: (Client) throws(Failure) -> [String]
    ) -> [String] {
        // Behind a brace without its backslash bash would put the whole once more.
        if words.indices.contains(index), words[index].hasPrefix("{"), CompletionShell.requesting == .bash { return [] }
        // The process does nothing else, so it may end like this; whatever the daemon does, or doesn't.
        signal(SIGALRM) { _ in _exit(0) }
        alarm(secondsMax)
        do throws(Failure) {
            let client = try Client(socket: socket(of: words), patience: 0)
            return try ask(client)
        } catch { return [] }
    }

    /// The names of a daemon's bookmarks.
    @Sendable static func bookmarks(of client: Client) throws(Failure) -> [String] {
        try client.all(BookmarksMethod.self) { $0.bookmarks.map(\.name) }
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

    /// Names as the script of the shell that asks takes them; those that a shell could take for more than a word are left out.
    static func quoted(_ names: [String]) -> [String] {
        names.filter(isPlain).map { word($0, for: CompletionShell.requesting) }
    }

    /// Examples in JSON as that script takes them; they hold nothing but its signs and plain words.
    static func quoted(examples: [String]) -> [String] {
        let plain = examples.filter { example in
            example.utf8.first == UInt8(ascii: "{") && isPlain(String(example.filter { !"{}[]\"".contains($0) }))
        }
        return plain.map { word($0, for: CompletionShell.requesting) }
    }

    /// Whether a name may be put into a command line: it means itself in each shell, quoted or not, and is no option.
    ///
    /// Whoever may write chooses names and tags, and bash quotes not all that it puts in. So nothing but letters, digits and some signs
    /// between them is offered; anything else is still taken when it is typed.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-") else { return false }
        // By scalars: a mark that joins a sign would make another character of it.
        return name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "-", "_", ".", ":", "/", "@", ",", "+", "0"..."9", "a"..."z", "A"..."Z": true
            case _ where scalar.isASCII || scalar.properties.isDefaultIgnorableCodePoint: false
            default: isLetter(scalar)
            }
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .nonspacingMark, .spacingMark:
            true
        default: false
        }
    }

    /// As the script for a shell takes it: bash takes quotes away from what it is offered, and to zsh a description stands behind a colon.
    static func word(_ candidate: String, for shell: CompletionShell?) -> String {
        switch shell {
        case .bash?: "'" + candidate.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        case .zsh?: candidate.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
        default: candidate
        }
    }
}

extension Client {
    /// The names in all pages of a list.
    fileprivate func all<M: Method>(
        _ method: M.Type, _ names: (M.Output) -> [String]
    ) throws(Failure) -> [String] where M.Input == NoFields {
        var all: [String] = []
        try stream(method, NoFields()) { page throws(Failure) in
            all += names(try page.output())
            return .more
        }
        return all
    }
}
