import ArgumentParser
import Chronicle
import Glibc
import TodoAPI

struct ReposVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repos", abstract: "Show the most starred repositories of a language.",
        discussion: """
            EXAMPLES:
              todoctl repos reload
              todoctl repos
              todoctl repos open 1
              todoctl repos language C++
              todoctl repos choose
            """,
        subcommands: [ReposList.self, ReposReload.self, ReposOpen.self, ReposChoose.self, ReposLanguage.self],
        defaultSubcommand: ReposList.self)
}

struct ReposList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the repositories of the current language.",
        examples: "todoctl repos list", "todoctl repos list --json", "todoctl repos list --at yesterday")

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run(_ session: Session) throws {
        let page = try session.whole("repositories", at: moment.point(session))
        let isEmpty = page.state["repositories"]?["items"]?.list?.isEmpty != false
        let listed = session.isJSON || isEmpty ? nil : try ReposList.language(ofListAt: page.sequence, session)
        session.show(page) { state in ReposList.lines(state["repositories"] ?? .null, listed: listed, session) }
    }

    /// The language of the list at a record: the last one that was loaded, if a record shows it.
    private static func language(ofListAt sequence: UInt64, _ session: Session) throws(Failure) -> String? {
        let input = LogMethod.Input(
            to: Point(sequence: sequence), limit: 1, reverse: true, path: "repositories.items")
        let pages = try session.research(LogMethod.self, input) { page in
            guard page.records.isEmpty, let reached = page.reached else { return nil }
            return (reached, nil)
        }
        guard let page = pages.first else { return nil }
        return try page.output().records.first?.action?["repositories"]?["loaded"]?["language"]?.text
    }

    /// `C++`, `C++, loading`, or `Swift (C++ is loading)` while the list is of another language.
    static func heading(_ language: String, listed: String?, isLoading: Bool) -> String {
        guard let listed, listed != language else { return Visible.text(language) + (isLoading ? ", loading" : "") }
        return "\(Visible.text(listed)) (\(Visible.text(language)) is \(isLoading ? "loading" : "not loaded"))"
    }

    /// - Parameter listed: the language of the list, if it may differ from the current one.
    static func lines(_ repositories: Value, listed: String? = nil, _ session: Session) -> [String] {
        let items = repositories["items"]?.list ?? []
        let title = heading(
            repositories["language"]?.text ?? "", listed: listed, isLoading: repositories["loading"]?.bool == true)
        var lines = [session.paint(title, .bold)]
        if items.isEmpty, session.isTerminal { lines.append("Nothing here yet. To load them: todoctl repos reload") }
        let width = String(items.count).utf8.count
        for (index, item) in items.enumerated() {
            let number = String(index + 1)
            let margin = String(repeating: " ", count: width - number.utf8.count)
            let name = Visible.text(item["fullName"]?.text ?? "")
            let about = item["description"]?.text.map { $0.isEmpty ? "" : "  " + session.paint(Visible.text($0), .dim) } ?? ""
            lines.append("\(margin)\(number)  \(name)  ★ \(Digits.grouped(item["stars"]?.int ?? 0))\(about)")
        }
        return lines
    }
}

struct ReposReload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Load the repositories of the current language.",
        discussion: """
            EXAMPLES:
              todoctl repos reload
              todoctl repos reload --no-wait
              todoctl repos list

            On a terminal, or with --wait, waits for the list, across restarts of the daemon; the exit status is 1 if loading
            fails. An alert gives the reason. Ctrl-C ends only the wait.
            """)

    @OptionGroup var options: Options
    @OptionGroup var waiting: WaitOption

    func run() throws { try waiting.run(.reload, options) }
}

struct ReposOpen: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Print the address of a repository's page.",
        discussion: """
            EXAMPLES:
              todoctl repos open 1
              xdg-open "$(todoctl repos open 1)"
            """)

    @OptionGroup var options: Options

    @Argument(help: "The number in the list.")
    var number: Int

    func run(_ session: Session) throws {
        let items = try session.whole("repositories.items").state["repositories"]?["items"]?.list ?? []
        guard items.indices.contains(number - 1), let id = items[number - 1]["id"]?.int else {
            throw Failure(
                .refused, "There is no repository \(number): the list has \(items.count). To see it: todoctl repos list")
        }
        // By id, because the list may change before the dispatch.
        try session.change([FeatureAction.make("repositories", "open", ["id": .int(id)])]) { _ in [] }
    }
}

struct ReposLanguage: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "language", abstract: "Set the language.",
        discussion: """
            EXAMPLES:
              todoctl repos language C++

            If a list was loaded before, that of the new language is loaded.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The name, as repos choose shows it.")
    var name: String

    func run(_ session: Session) throws {
        try session.change([FeatureAction.make("repositories", "setLanguage", ["language": .text(name)])]) { _ in
            ["The language is \(Visible.text(name)). To see its repositories: todoctl repos"]
        }
    }
}

struct ReposChoose: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "choose", abstract: "Ask for a language, and wait for the answer.",
        discussion: """
            EXAMPLES:
              todoctl repos choose
              todoctl repos choose --within 2h
              todoctl repos choose --language C++
              todoctl repos choose --cancel

            A terminal shows a menu: the arrows, j and k or a number select, Enter chooses, Esc cancels; a dumb terminal reads a
            number or a name. Any client can answer with todoctl flow answer. Ctrl-C ends the wait, and the question stays open.
            Prints the language; the exit status is 1 if the question is cancelled, and 75 if it expires.
            """)

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Answer with this language.", valueName: "name"))
    var language: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Time after which the question expires: 90s, 30min, 2h, 1d.", valueName: "time"))
    var within: String?

    @Flag(help: "Cancel the question, if it is open.")
    var cancel = false

    func validate() throws {
        if language != nil, cancel { throw ValidationError("--language and --cancel exclude each other.") }
        if within != nil, cancel { throw ValidationError("--within and --cancel exclude each other.") }
        if let within, Waiting.seconds(within) == nil {
            throw ValidationError("--within is a time such as 90s, 30min, 2h or 1d, not \(Visible.text(within)).")
        }
    }

    func run() throws {
        try options.session(patience: Client.endlessPatience) { session in
            if cancel { throw try LanguageChoice.cancel(session) }
            if let language { try LanguageChoice.check(language, session) }
            let choice = try LanguageChoice(session, within: within.flatMap(Waiting.seconds))
            if let language {
                try choice.answer(language)
            } else if isatty(0) == 1, session.isTerminal, !session.isJSON {
                choice.offer()
            } else {
                choice.announce()
            }
            try choice.finish()
        }
    }
}
