import FeatureApp
import Foundation
import HTTPSources
import Testing

@testable import LinuxService
@testable import todod

@Suite struct SourceSettingsTests {
    func resolve(_ lines: String) throws(StartFailure) -> Configuration {
        try ResolvedConfiguration(
            of: Todod.program, environment: [:], file: ConfigurationFile(path: "/etc/todod.env", text: lines),
            defaultPaths: DefaultPaths(
                program: "todod", environment: [:], uid: 1000, pid: 7, home: "/home/ann", userSocket: "/s"),
            workingDirectory: "/", accounts: Accounts(uid: { _ in nil })
        ).configuration
    }

    @Test func `without settings all sources are bundled`() throws {
        let configuration = try resolve("")
        #expect(configuration[SourceSettings.todos] == .bundled)
        #expect(configuration[SourceSettings.posts] == .bundled)
        #expect(!configuration[SourceSettings.searchesGitHub])
        #expect(configuration[SourceSettings.gitHubTokenFile] == "")
        #expect(Todod.firstActions(configuration).isEmpty)
    }

    @Test func `every key can be set and is printed as it was set`() throws {
        let values = [
            "TODO_SOURCE": "/todos.txt", "LOAD_WHEN_EMPTY": "yes", "POST_SOURCE": "https://example.org/feed",
            "REPOSITORY_SOURCE": "github", "GITHUB_URL": "https://github.example.org/api/v3",
            "GITHUB_TOKEN_FILE": "/token", "REMIND_PROGRAM": "/remind", "HTTP_SECONDS": "9", "HTTP_BYTES_MAX": "4097",
        ]
        let configuration = try resolve(values.map { "TODOD_\($0.key)=\($0.value)" }.joined(separator: "\n"))
        for row in SourceSettings.rows { #expect(row.text(configuration) == values[row.key], "\(row.key)") }
        #expect(Todod.firstActions(configuration) == [.loadTodos])
    }

    @Test(arguments: ["bundled", "/a file", "http://a", "https://a.example:80/b?c=d#e", "HTTP://a/b@c"])
    func `a source is bundled, a file, or on the web`(text: String) throws {
        let place = try resolve("TODOD_TODO_SOURCE=\(text)")[SourceSettings.todos]
        #expect(place.text == text)
        #expect((place == .bundled) == (text == "bundled"))
        #expect((place == .file(text)) == text.hasPrefix("/"))
    }

    @Test(arguments: [
        ("TODOD_TODO_SOURCE=todos.txt", "“todos.txt” is neither “bundled” nor an absolute path nor an http or https address."),
        ("TODOD_TODO_SOURCE=ftp://a", "“ftp://a” is neither “bundled” nor an absolute path nor an http or https address."),
        ("TODOD_POST_SOURCE=/feed.xml", "“/feed.xml” is neither “bundled” nor an http or https address."),
        ("TODOD_POST_SOURCE=https://", "“https://” is neither “bundled” nor an http or https address."),
        ("TODOD_POST_SOURCE=https://a:b@c/", "“https://a:b@c/” is neither “bundled” nor an http or https address."),
        ("TODOD_LOAD_WHEN_EMPTY=true", "“true” is neither “yes” nor “no”."),
        ("TODOD_REPOSITORY_SOURCE=gitlab", "“gitlab” is neither “bundled” nor “github”."),
        ("TODOD_GITHUB_URL=http://a/?b", "“http://a/?b” is no http or https address without a query."),
        ("TODOD_GITHUB_TOKEN_FILE=token", "“token” is not an absolute path."),
        ("TODOD_REMIND_PROGRAM=notify-send", "“notify-send” is not an absolute path."),
        ("TODOD_HTTP_SECONDS=0", "“0” is not a number from 1 to 30."),
    ])
    func `a bad value is reported with its key and line`(line: String, mistake: String) {
        let key = line.prefix { $0 != "=" }
        #expect(throws: StartFailure(.configuration, "/etc/todod.env:2: \(key): \(mistake)")) { try resolve("\n\(line)") }
    }

    @Test func `the shipped configuration file is the one that the program prints`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config/todod.env")
        #expect(
            try String(contentsOf: file, encoding: .utf8) == Todod.program.settings.file + "\n",
            "to write it: todod --print-settings > config/todod.env")
    }
}
