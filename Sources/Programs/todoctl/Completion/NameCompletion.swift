import ArgumentParser
import Chronicle
import Glibc
import TodoAPI

extension CompletionKind {
    static let forks = custom { _, _, _ in
        NameCompletion.quoted(((try? ForkPlace.all()) ?? []).map(\.name))
    }

    static let moments = custom { words, index, _ in
        ["now", "start", "today", "yesterday"]
            + NameCompletion.candidates(words, index) { client throws(Failure) in
                NameCompletion.quoted(try NameCompletion.bookmarks(of: client))
            }
    }

    static let bookmarks = names(NameCompletion.bookmarks(of:))

    static let positions = custom { _, _, _ in NameCompletion.quoted(PositionFile.names) }

    static let views = names { client throws(Failure) in try client.savedViews().map(\.name) }

    static let invariants = names { client throws(Failure) in
        try client.call(InvariantsMethod.self, NoFields()).invariants.map(\.name)
    }

    static let commands = names { client throws(Failure) in
        try client.all(CommandsMethod.self) { $0.commands.map(\.id.text) }
    }

    static let features = features { [$0.name] }

    static let actions = features { feature in
        feature.actions.map { feature.isOnly ? $0.name : "\(feature.name).\($0.name)" }
    }

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

enum NameCompletion {
    /// Timeout in seconds, because the shell waits.
    private static let secondsMax: UInt32 = 2

    /// Names from the daemon; empty if it can't be reached.
    ///
    /// - Parameters:
    ///   - words: the command line as split by the shell.
    ///   - index: the index of the typed word.
    ///   - ask: returns names, quoted for the shell's script.
    static func candidates(
        _ words: [String], _ index: Int, _ ask: (Client) throws(Failure) -> [String]
    ) -> [String] {
        // After a brace, bash would insert the whole candidate again.
        if words.indices.contains(index), words[index].hasPrefix("{"), CompletionShell.requesting == .bash { return [] }
        // Ends the process on a timeout, whatever the daemon does.
        signal(SIGALRM) { _ in _exit(0) }
        alarm(secondsMax)
        do throws(Failure) {
            let client = try Client(socket: socket(of: words), patience: 0)
            return try ask(client)
        } catch { return [] }
    }

    @Sendable static func bookmarks(of client: Client) throws(Failure) -> [String] {
        try client.all(BookmarksMethod.self) { $0.bookmarks.map(\.name) }
    }

    /// The socket that a command line names, before or after the verb.
    static func socket(
        of words: [String], environment: (String) -> String? = Environment.variable
    ) throws(Failure) -> String {
        var whole: [String] = []
        for (index, word) in words.enumerated() {
            // Bash splits `--socket=PATH` at the sign.
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

    static func quoted(_ names: [String]) -> [String] {
        names.filter(isPlain).map { word($0, for: CompletionShell.requesting) }
    }

    static func quoted(examples: [String]) -> [String] {
        let plain = examples.filter { example in
            example.utf8.first == UInt8(ascii: "{") && isPlain(String(example.filter { !"{}[]\"".contains($0) }))
        }
        return plain.map { word($0, for: CompletionShell.requesting) }
    }

    /// Whether a name is safe in a command line: it means itself in every shell, quoted or not, and is no option.
    ///
    /// Other users may choose names and tags, and bash does not quote all that it inserts. Only letters, digits and a few signs
    /// are offered; other names can still be typed.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-") else { return false }
        // By scalars, because a combining mark would change the character.
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

    /// Quoted for a shell's script: bash removes quotes, and zsh separates a description by a colon.
    static func word(_ candidate: String, for shell: CompletionShell?) -> String {
        switch shell {
        case .bash?: "'" + candidate.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        case .zsh?: candidate.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
        default: candidate
        }
    }
}

extension Client {
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
