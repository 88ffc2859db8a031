import Effects
import EventSourcedDaemon
import HTTPSources

/// Where data comes from, as it is configured; what is not said comes with the program.
enum SourceSettings {
    static let todos = ProgramSetting("TODO_SOURCE", SourcePlace.bundled, .place)
    static let loadsWhenEmpty = ProgramSetting("LOAD_WHEN_EMPTY", false, .choice(["yes": true, "no": false]))
    static let posts = ProgramSetting("POST_SOURCE", SourcePlace.bundled, .placeWithoutFile)
    static let searchesGitHub = ProgramSetting(
        "REPOSITORY_SOURCE", false, .choice(["bundled": false, "github": true]))
    static let gitHubURL = ProgramSetting("GITHUB_URL", "https://api.github.com", .addressWithoutQuery)
    static let gitHubTokenFile = ProgramSetting("GITHUB_TOKEN_FILE", String?.none, .absolutePath)
    static let httpSeconds = ProgramSetting("HTTP_SECONDS", 20, .number(1...30))
    static let httpBytesMax = ProgramSetting("HTTP_BYTES_MAX", 4 << 20, .number(4096...64 << 20))

    /// In the order of `todod.env`.
    static let rows = [
        todos.row, loadsWhenEmpty.row, posts.row, searchesGitHub.row, gitHubURL.row, gitHubTokenFile.row, httpSeconds.row,
        httpBytesMax.row,
    ]

    /// The sources; nothing is opened before it is needed, but a token must be there by now.
    ///
    /// - Parameter environment: that of the process, which names the directory of its credentials.
    /// - Throws: `StartFailure` with status 78 when the file of the token can't be used.
    static func sources(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) -> Environment {
        let limits = WebLimits(timeMax: .seconds(configuration[httpSeconds]), bodyBytesMax: configuration[httpBytesMax])
        let client = WebClient(limits: limits)
        var sources = Environment.bundled()
        switch configuration[todos] {
        case .bundled: break
        case .file(let path): sources.todos = TodoFile(path: path)
        case .web(let address): sources.todos = WebTodos(client, address, setting: name(todos))
        }
        if case .web(let address) = configuration[posts] {
            sources.posts = FeedPosts(client, address, setting: name(posts))
        }
        guard let base = WebAddress(configuration[gitHubURL]) else { return sources }
        let token = try tokenFile(configuration, environment)
        let api = GitHub(
            client, base: base, tokenFile: token,
            settings: GitHub.Settings(address: name(gitHubURL), token: name(gitHubTokenFile)))
        if configuration[searchesGitHub] { sources.repositories = GitHubRepositories(api) }
        if token != nil { sources.stars = GitHubStars(api) }
        return sources
    }

    /// The file that is configured, else the credential if systemd handed one over.
    private static func tokenFile(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) -> TokenFile? {
        var file: TokenFile?
        if let path = configuration[gitHubTokenFile] {
            file = TokenFile(path: path)
        } else if let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") {
            file = TokenFile(credentialsDirectory: directory)
            if file?.isThere == false { return nil }
        }
        do throws(CommandFailure) {
            _ = try file?.token()
        } catch {
            throw StartFailure(.configuration, "\(name(gitHubTokenFile)): \(error.reason)")
        }
        return file
    }

    private static func name<Value>(_ setting: ProgramSetting<Value>) -> String { Todod.program.name(of: setting) }
}
