import DaemonProcess
import Effects
import HTTPSources
import Reducing

extension AppTarget {
    /// The target as it is configured: what is not said comes with the program, and nothing is opened before it is needed.
    ///
    /// - Parameters:
    ///   - configuration: What is in force.
    ///   - environment: The environment of the process, which names the directory of its credentials.
    /// - Throws: `StartFailure` with status 78 when an address or the file of the token can't be used.
    static func live(_ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) -> AppTarget {
        let limits = WebLimits(timeMax: .seconds(configuration.httpSeconds), bodyBytesMax: configuration.httpBytesMax)
        let client = WebClient(limits: limits)
        var sources = Environment.bundled()
        switch configuration.todoSource {
        case .bundled: break
        case .file(let path): sources.todos = TodoFile(path: path)
        case .web(let text):
            sources.todos = WebTodos(client, try address(text, .todoSource), setting: Setting.todoSource.name)
        }
        if case .web(let text) = configuration.postSource {
            sources.posts = FeedPosts(client, try address(text, .postSource), setting: Setting.postSource.name)
        }
        let token = try tokenFile(configuration, environment)
        let api = GitHub(
            client, base: try address(configuration.gitHubURL, .gitHubURL), tokenFile: token,
            settings: GitHub.Settings(
                address: Setting.gitHubURL.name, token: Setting.gitHubTokenFile.name))
        if configuration.searchesGitHub { sources.repositories = GitHubRepositories(api) }
        if token != nil { sources.stars = GitHubStars(api) }
        return AppTarget(sources)
    }

    private static func address(_ text: String, _ key: Setting) throws(StartFailure) -> WebAddress {
        guard let address = WebAddress(text) else {
            throw StartFailure(.configuration, "\(key.name): “\(text)” is no http or https address.")
        }
        return address
    }

    /// The file that is configured, else the credential if systemd handed one over; it must hold a token by now.
    private static func tokenFile(
        _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) -> TokenFile? {
        var file: TokenFile?
        if let path = configuration.gitHubTokenFile {
            file = TokenFile(path: path)
        } else if let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") {
            file = TokenFile(credentialsDirectory: directory)
            if file?.isThere == false { return nil }
        }
        do throws(CommandFailure) {
            _ = try file?.token()
        } catch {
            throw StartFailure(.configuration, "\(Setting.gitHubTokenFile.name): \(error.reason)")
        }
        return file
    }
}
