import Chronicle
import Glibc
import NIOHTTP1
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `The web client` {
    @Test func `the client returns the body of the server`() async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: "hello")
        } _: { server in
            let text = try await WebClient().text(try server.web("/a?b=c"))
            #expect(text == "hello")
            #expect(server.requests.value.map(\.target) == ["/a?b=c"])
            #expect(server.requests.value.first?.headers.first(name: "accept-encoding") == nil)
        }
    }

    @Test(arguments: [
        (500, "can't answer now (500). Try again later.", false), (503, "can't answer now (503). Try again later.", false),
        (404, "has nothing at this address (404). Look at TODOD_X.", true),
        (403, "refuses access (403). Look at TODOD_X.", true), (418, "answered with status 418. Look at TODOD_X.", true),
    ])
    func `a status has a message and is temporary or permanent`(status: Int, sentence: String, isPermanent: Bool) async throws {
        try await LoopbackServer.run { _ in
            .answer(status, body: "secret words")
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error == CommandFailure("\(server.host) \(sentence)", isPermanent: isPermanent))
        }
    }

    @Test func `the client waits as long as a server requests`() async throws {
        let date = ("date", "Wed, 21 Oct 2026 07:28:00 GMT")
        let replies: [String: LoopbackServer.Reply] = [
            "/seconds": .answer(503, headers: [("retry-after", "7")]),
            "/moment": .answer(429, headers: [("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"), date]),
            "/past": .answer(429, headers: [("retry-after", "Wed, 21 Oct 2026 07:00:00 GMT"), date]),
            "/years": .answer(503, headers: [("retry-after", "999999999999")]),
            "/nonsense": .answer(503, headers: [("retry-after", "soon")]),
        ]
        try await LoopbackServer.run {
            replies[$0.target] ?? .silence
        } _: { server in
            let client = WebClient()
            var waits: [String: Duration?] = [:]
            for path in replies.keys {
                waits[path] = try await failure { try await client.text(try server.web(path)) }
                    .retryAfter
            }
            #expect(waits["/seconds"] == .seconds(7))
            #expect(waits["/moment"] == .seconds(31))
            #expect(waits["/past"] == .seconds(1))
            #expect(waits["/years"] == WebAnswer.waitMax)
            #expect(waits["/nonsense"] == .some(nil))
        }
    }

    @Test func `a silent server times out`() async throws {
        try await LoopbackServer.run { _ in
            .silence
        } _: { server in
            let client = WebClient(timeMax: .seconds(1))
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error == CommandFailure("\(server.host) did not answer within 1 s. Try again later, or look at TODOD_X."))
            await server.closed.wait { $0 == 1 }
        }
    }

    @Test func `an answer that stops arriving times out`() async throws {
        try await LoopbackServer.run { _ in
            .chunks("", count: nil)
        } _: { server in
            let client = WebClient(timeMax: .seconds(1))
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason.contains("within 1 s"), "\(error.reason)")
        }
    }

    @Test(arguments: [nil, 1600]) func `an endless answer or one of 100 MiB is not read to its end`(count: Int?) async throws {
        let chunk = String(repeating: "x", count: 64 << 10)
        try await LoopbackServer.run { _ in
            .chunks(chunk, count: count)
        } _: { server in
            let client = WebClient(timeMax: .seconds(600), bodyBytesSetting: "BYTES_MAX")
            let error = try await failure { try await client.text(try server.web()) }
            let advice = "To read more, raise BYTES_MAX."
            let reason = "\(server.host) sent more than 4194304 bytes. \(advice)"
            #expect(error == CommandFailure(reason, isPermanent: true))
            await server.closed.wait { $0 == 1 }
        }
    }

    @Test func `an answer with a declared length above the limit is not read`() async throws {
        try await LoopbackServer.run { _ in
            .cutOff("", missing: 100 << 20)
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason.contains("sent more than 4194304 bytes"))
        }
    }

    @Test func `a truncated answer is refused`() async throws {
        try await LoopbackServer.run { _ in
            .cutOff("half", missing: 4)
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason.hasPrefix("The answer of \(server.host) broke off: "))
            #expect(!error.isPermanent)
        }
    }

    @Test(arguments: ["nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nx"])
    func `an answer that is not HTTP is refused`(bytes: String) async throws {
        try await LoopbackServer.run { _ in
            .raw(bytes)
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason.contains("its answer is not HTTP"))
        }
    }

    @Test func `a compressed answer is refused, because its contents could be huge`() async throws {
        try await LoopbackServer.run { _ in
            .answer(200, headers: [("content-encoding", "gzip")], body: "x")
        } _: { server in
            let client = WebClient()
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason == "\(server.host) sent an answer packed as gzip, which was not asked for.")
        }
    }

    @Test func `redirects are followed up to a limit`() async throws {
        try await LoopbackServer.run { request in
            switch request.target {
            case "/here": .answer(302, headers: [("location", "/there?x=1")])
            case "/there?x=1": .answer(200, body: "found")
            case "/out": .answer(301, headers: [("location", "file:///etc/passwd")])
            default: .answer(307, headers: [("location", request.target == "/a" ? "/b" : "/a")])
            }
        } _: { server in
            let client = WebClient()
            #expect(try await client.text(try server.web("/here")) == "found")
            let lost = try await failure { try await client.text(try server.web("/a")) }
            #expect(lost.reason == "\(server.host) redirects more than 5 times. Look at TODOD_X.")
            #expect(lost.isPermanent)
            let out = try await failure { try await client.text(try server.web("/out")) }
            #expect(out.reason == "\(server.host) redirects to no address that is followed. Look at TODOD_X.")
            #expect(server.requests.value.count == 2 + 6 + 1)
        }
    }

    @Test func `an address without a listener is reported`() async throws {
        try await LoopbackServer.run { _ in
            .silence
        } _: { other in
            // Port 1 has no listener, and only root could add one.
            let address = try #require(WebAddress("http://127.0.0.1:1/"))
            let client = WebClient()
            let error = try await failure { try await client.text(address) }
            let reason = "127.0.0.1:1 can't be reached: connection refused. Look at TODOD_X and the network."
            #expect(error == CommandFailure(reason))
        }
    }

    @Test func `cancelling the task ends its call`() async throws {
        try await LoopbackServer.run { _ in
            .silence
        } _: { server in
            let client = WebClient()
            let address = try server.web()
            await withTaskGroup { group in
                group.addTask {
                    let error = await #expect(throws: CommandFailure.self) { try await client.text(address) }
                    #expect(error?.reason == "The call to \(server.host) was cancelled.")
                }
                await server.requests.wait { $0.count == 1 }
                group.cancelAll()
            }
            await server.closed.wait { $0 == 1 }
        }
    }

    @Test func `all redirects of a call share its timeout`() async throws {
        try await LoopbackServer.run { _ in
            usleep(300_000)
            return .answer(302, headers: [("location", "/")])
        } _: { server in
            // Six answers take longer.
            let client = WebClient(timeMax: .seconds(1))
            let error = try await failure { try await client.text(try server.web()) }
            #expect(error.reason.contains("within 1 s"), "\(error.reason)")
        }
    }
}
