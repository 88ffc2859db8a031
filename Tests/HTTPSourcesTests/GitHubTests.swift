import Chronicle
import FeatureRepositories
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `The API of GitHub` {
    static func item(_ id: Int, _ name: String, description: String = "null", stars: Int = 1) -> String {
        """
        {"id": \(id), "full_name": "\(name)", "description": \(description), "html_url": "https://github.com/\(name)",
         "stargazers_count": \(stars), "score": 1.0, "owner": {"login": "x", "login": "y"}}
        """
    }

    func api(_ client: WebClient, _ server: LoopbackServer, token: String? = nil) throws -> GitHub {
        try api(client, server.address("/api/"), token: token)
    }

    func api(_ client: WebClient, _ base: String, token: String? = nil) throws -> GitHub {
        GitHub(
            client, base: try #require(WebAddress(base)), tokenFile: token.map { TokenFile(path: $0) },
            addressSetting: "TODOD_GITHUB_URL", tokenSetting: "TODOD_GITHUB_TOKEN_FILE")
    }

    @Test(arguments: [
        ("Swift", "Swift"), ("C++", "C%2B%2B"), ("C#", "C%23"), ("Objective-C", "Objective-C"),
        ("Jupyter Notebook", "Jupyter%20Notebook"),
        ("a\"b\\c&d=é", "abc%26d%3D%C3%A9"),
    ])
    func `a language is requested by its encoded name`(language: String, encoded: String) async throws {
        let body =
            "{\"items\": [\(Self.item(7, "apple/swift", description: "\"A\\nlanguage\"", stars: 9)), \(Self.item(8, "a/b"))]}"
        try await LoopbackServer.run { _ in
            .answer(200, body: body)
        } _: { server in
            let client = WebClient()
            let items = try await GitHubRepositories(try api(client, server)).mostStarred(language, ticket)
            #expect(
                items == [
                    Repository(
                        id: 7, fullName: "apple/swift", description: "A language", url: "https://github.com/apple/swift",
                        stars: 9),
                    Repository(id: 8, fullName: "a/b", url: "https://github.com/a/b", stars: 1),
                ])
            let target = "/api/search/repositories?q=language%3A%22\(encoded)%22&sort=stars&order=desc&per_page=30"
            #expect(server.requests.value.map(\.target) == [target])
            #expect(server.requests.value.first?.headers.first(name: "authorization") == nil)
        }
    }

    @Test func `an unchanged list is the previous one`() async throws {
        try await LoopbackServer.run { request in
            if request.headers.contains(name: "if-none-match") { return .answer(304) }
            let name = request.target.contains("Swift") ? "a/swift" : "a/java"
            return .answer(200, headers: [("etag", "W/\"1\"")], body: "{\"items\": [\(Self.item(1, name))]}")
        } _: { server in
            let client = WebClient()
            let source = GitHubRepositories(try api(client, server))
            for name in ["Swift", "Java", "Swift", "Java"] {
                #expect(try await source.mostStarred(name, ticket).map(\.fullName) == ["a/\(name.lowercased())"])
            }
            #expect(server.requests.value.filter { $0.headers.contains(name: "if-none-match") }.count == 2)
        }
    }

    @Test(arguments: [
        ("{\"items\": [", "sent invalid JSON: the text ends too early (byte 11)."),
        ("<html>", "sent invalid JSON: no JSON value can go on like this (byte 0)."),
        ("{}", "sent an unexpected search result."), ("{\"items\": {}}", "sent an unexpected search result."),
        ("{\"items\": [{\"id\": \"1\"}]}", "sent an unexpected search result."),
        (String(repeating: "[", count: 100_000), "sent invalid JSON: arrays and objects are nested too deep (byte 32)."),
    ])
    func `an unexpected answer is refused`(body: String, sentence: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: body)
        } _: { server in
            let client = WebClient()
            let source = GitHubRepositories(try api(client, server))
            let error = try await failure { try await source.mostStarred("Swift", ticket) }
            #expect(error == CommandFailure("\(server.host) \(sentence)", isPermanent: true))
        }
    }

    @Test func `a rate limit is reported with its time, and a short one is waited for automatically`() async throws {
        let date = ("date", "Thu, 01 Jan 1970 00:10:00 GMT")
        let limited = [("x-ratelimit-limit", "10"), ("x-ratelimit-remaining", "0"), date]
        try await LoopbackServer.run { request in
            switch request.target.contains("Swift") {
            case true: .answer(403, headers: limited + [("x-ratelimit-reset", "629")])
            case false: .answer(429, headers: limited + [("x-ratelimit-reset", "4199")])
            }
        } _: { server in
            let client = WebClient()
            let source = GitHubRepositories(try api(client, server))
            let short = try await failure { try await source.mostStarred("Swift", ticket) }
            let advice = "Try again then. With a token in TODOD_GITHUB_TOKEN_FILE more is allowed."
            #expect(
                short
                    == CommandFailure("\(server.host) accepts no requests for 30 s. \(advice)", retryAfter: .seconds(30)))
            let long = try await failure { try await source.mostStarred("Java", ticket) }
            #expect(
                long
                    == CommandFailure(
                        "\(server.host) accepts no requests for 60 min. \(advice)", isPermanent: true,
                        retryAfter: .seconds(3600)))
        }
    }

    @Test func `a star is given and removed with the command's name`() async throws {
        let directory = TemporaryDirectory()
        let path = try writeToken("ghp_secret\n", in: directory.path)
        try await LoopbackServer.run { _ in
            .answer(204)
        } _: { server in
            let client = WebClient()
            let stars = GitHubStars(try api(client, server, token: path))
            try await stars.set("apple/swift-nio", starred: true, ticket)
            try await stars.set("apple/swift-nio", starred: false, ticket)
            let requests = server.requests.value
            #expect(
                requests.map { "\($0.method) \($0.target)" } == [
                    "PUT /api/user/starred/apple/swift-nio", "DELETE /api/user/starred/apple/swift-nio",
                ])
            #expect(requests.allSatisfy { $0.headers.first(name: "authorization") == "Bearer ghp_secret" })
            #expect(requests.allSatisfy { $0.headers.first(name: "idempotency-key") == ticket.id })
            #expect(requests.first?.headers.first(name: "content-length") == "0")
        }
    }

    @Test(
        arguments: [
            (401, [:], "does not accept the token. Make a new one and put it into TOKEN."),
            (403, [:], "refuses this (403). Give the token the right to do this."),
            (404, [:], "has no repository “a/b”, or the token may not star it."),
            (301, ["location": "/elsewhere"], ""), (500, [:], "can't answer now (500). Try again later."),
        ] as [(Int, [String: String], String)])
    func `an error never contains the token`(status: Int, headers: [String: String], sentence: String) async throws {
        let directory = TemporaryDirectory()
        let path = try writeToken("ghp_secret", in: directory.path)
        try await LoopbackServer.run { _ in
            .answer(status, headers: headers.map { ($0.key, $0.value) }, body: "ghp_secret")
        } _: { server in
            let client = WebClient()
            let stars = GitHubStars(try api(client, server, token: path))
            let error = try await failure { try await stars.set("a/b", starred: true, ticket) }
            if !sentence.isEmpty {
                #expect(error.reason == "\(server.host) \(sentence.replacing("TOKEN", with: path))")
            } else {
                #expect(error.reason == "“a/b” was renamed; look for it on \(server.host).")
            }
            #expect(!"\(error)".contains("ghp_"))
            #expect(error.isPermanent == (status < 500))
            #expect(server.requests.value.count == 1)
        }
    }

    @Test(arguments: ["swift", "a/b/c", "../..", "a/..", "/b", "a b/c", "a/b?c", "", "a%2Fb/c"])
    func `an invalid repository is not requested`(id: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(204)
        } _: { server in
            let client = WebClient()
            let stars = GitHubStars(try api(client, server))
            let error = try await failure { try await stars.set(id, starred: true, ticket) }
            #expect(error == CommandFailure("“\(id)” is no repository. Its id is OWNER/NAME.", isPermanent: true))
            #expect(server.requests.value.isEmpty)
        }
    }

    @Test func `the token is not sent without encryption or to the target of a redirect`() async throws {
        let directory = TemporaryDirectory()
        let path = try writeToken("ghp_secret", in: directory.path)
        try await LoopbackServer.run { _ in
            .answer(200, body: "{\"items\": []}")
        } _: { other in
            try await LoopbackServer.run { [place = other.address("/found")] _ in
                .answer(302, headers: [("location", place)])
            } _: { server in
                let client = WebClient()
                let source = GitHubRepositories(try api(client, server, token: path))
                #expect(try await source.mostStarred("Swift", ticket).isEmpty)
                #expect(server.requests.value.first?.headers.contains(name: "authorization") == true)
                #expect(other.requests.value.first?.headers.contains(name: "authorization") == false)

                let open = try api(client, "http://api.example.org", token: path)
                let error = try await failure { try await GitHubStars(open).set("a/b", starred: true, ticket) }
                let reason =
                    "A token is not sent to api.example.org without encryption. Set TODOD_GITHUB_URL to an https address."
                #expect(error == CommandFailure(reason, isPermanent: true))
            }
        }
    }
}
