import ChronicleDaemon
import DataSources
import HTTPSources

enum SourceSettings {
    static let todos = TypedSetting(
        "TODO_SOURCE", SourcePlace.bundled, .place,
        """
        Where "todoctl load" finds todos: bundled, an absolute path, or an http or https address; one title a line, or a JSON array.
        """)
    static let loadsWhenEmpty = TypedSetting(
        "LOAD_WHEN_EMPTY", false, .choice(["yes": true, "no": false]),
        "Whether todos are loaded from there once, when the daemon starts with an empty log: yes or no.")
    static let posts = TypedSetting(
        "POST_SOURCE", SourcePlace.bundled, .placeWithoutFile,
        "Where posts are fetched: bundled, or the http or https address of a feed, RSS 2.0 or Atom.")
    static let searchesGitHub = TypedSetting(
        "REPOSITORY_SOURCE", false, .choice(["bundled": false, "github": true]),
        "Source of the repositories of a language: bundled, or github for the search of the API below.")
    static let gitHubURL = TypedSetting(
        "GITHUB_URL", "https://api.github.com", .addressWithoutQuery,
        "The root of GitHub's API. A token is only sent over https.")
    static let gitHubTokenFile = TypedSetting(
        "GITHUB_TOKEN_FILE", "", .optionalPath,
        """
        File with the token for GitHub, mode 0600; with one, stars are set there. Default: the credential github-token of the service.
        """)
    static let remindProgram = TypedSetting(
        "REMIND_PROGRAM", "", .optionalPath,
        """
        Program that is run for each reminder of a todo, told by TODO_ID, TODO_TITLE, TODO_DUE and TODO_REMINDER. Default: notify-send.
        """)
    static let httpSeconds = TypedSetting(
        "HTTP_SECONDS", WebClient.secondsDefault, .number(1...30),
        "Seconds that a call to the web may take, redirections included; at most 30, as long as any attempt at a command.")
    static let httpBytesMax = TypedSetting(
        "HTTP_BYTES_MAX", WebClient.bodyBytesDefault, .number(4096...64 << 20), "The largest answer from the web, in bytes.")

    /// In the order of `todod.env`.
    static let rows = [
        todos.row, loadsWhenEmpty.row, remindProgram.row, posts.row, searchesGitHub.row, gitHubURL.row, gitHubTokenFile.row,
        httpSeconds.row, httpBytesMax.row,
    ]

    /// The configured sources; nothing is opened in advance, but a token file must exist.
    ///
    /// - Parameter environment: names the directory of the credentials.
    /// - Throws: `StartFailure` with status 78 if the token file is invalid.
    static func sources(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) -> Sources {
        let client = WebClient(
            timeMax: .seconds(configuration[httpSeconds]), bodyBytesMax: configuration[httpBytesMax],
            bodyBytesSetting: name(httpBytesMax))
        var sources = Sources()
        let program = configuration[remindProgram]
        sources.reminders = ReminderProgram(path: program.isEmpty ? nil : program, environment: environment)
        switch configuration[todos] {
        case .bundled: break
        case .file(let path): sources.todos = TodoFile(path: path)
        case .web(let address): sources.todos = WebTodos(client, address, setting: name(todos))
        }
        if case .web(let address) = configuration[posts] {
            sources.posts = FeedPosts(client, address, setting: name(posts))
        }
        let token = try tokenFile(configuration, environment)
        // Parsing an address loads libcurl, which an idle daemon does not need.
        guard configuration[searchesGitHub] || token != nil else { return sources }
        guard let base = WebAddress(configuration[gitHubURL]) else {
            throw StartFailure(.configuration, "\(name(gitHubURL)) can't be used: libcurl is not installed.")
        }
        let api = GitHub(
            client, base: base, tokenFile: token, addressSetting: name(gitHubURL), tokenSetting: name(gitHubTokenFile))
        if configuration[searchesGitHub] { sources.repositories = GitHubRepositories(api) }
        if token != nil { sources.stars = GitHubStars(api) }
        return sources
    }

    /// The configured file, or systemd's credential.
    private static func tokenFile(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) -> TokenFile? {
        let path = configuration[gitHubTokenFile]
        let file: TokenFile
        if !path.isEmpty {
            file = TokenFile(path: path)
        } else if let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") {
            file = TokenFile(credentialsDirectory: directory)
            guard file.isThere else { return nil }
        } else {
            return nil
        }
        do throws(CommandFailure) {
            _ = try file.token()
        } catch {
            throw StartFailure(.configuration, "\(name(gitHubTokenFile)): \(error.reason)")
        }
        return file
    }

    private static func name<Value>(_ setting: TypedSetting<Value>) -> String { Todod.program.name(of: setting) }
}

extension SettingKind<SourcePlace> {
    /// `bundled`, a file or a web address.
    static let place = SettingKind(text: \.text) { text throws(SettingMistake) in
        guard let place = SourcePlace(text) else {
            throw SettingMistake("“\(text)” is neither “bundled” nor an absolute path nor an http or https address")
        }
        return place
    }

    /// `bundled` or a web address.
    static let placeWithoutFile = SettingKind(text: \.text) { text throws(SettingMistake) in
        let place = SourcePlace(text)
        if case .file? = place {} else if let place { return place }
        throw SettingMistake("“\(text)” is neither “bundled” nor an http or https address")
    }
}

extension SettingKind<String> {
    /// An address to which path components can be appended.
    static let addressWithoutQuery = SettingKind(text: { $0 }) { text throws(SettingMistake) in
        guard WebAddress(configured: text) != nil, !text.utf8.contains(UInt8(ascii: "?")) else {
            throw SettingMistake("“\(text)” is no http or https address without a query")
        }
        return text
    }
}
