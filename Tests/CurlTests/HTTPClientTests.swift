import Curl
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct HTTPClientTests {
    private let client = HTTPClient()

    private func request(
        _ url: String, _ method: HTTPRequest.Method = .get, body: [UInt8]? = nil, silence: Duration? = .seconds(30),
        total: Duration? = nil, bodyBytesMax: Int = 1 << 20
    ) -> HTTPRequest {
        HTTPRequest(
            method, url, headers: [("x-test", "1")], body: body,
            timeouts: HTTPTimeouts(connect: .seconds(10), silence: silence, total: total), bodyBytesMax: bodyBytesMax)
    }

    private func error(_ request: HTTPRequest) async -> HTTPError? {
        do throws(HTTPError) { _ = try await client.call(request).answer() } catch { return error }
        return nil
    }

    @Test func `a request is sent unchanged, and its response is complete`() async throws {
        let server = RawServer { request, connection in
            let body = request.split(separator: "\r\n").dropLast(request.contains("ping") ? 1 : 0).joined(separator: "|")
            return RawServer.send(
                "HTTP/1.1 201 Made\r\nX-Name: a: b \r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", connection)
        }
        let answer = try await client.call(request(server.url + "a/../b?c", .post, body: Array("ping".utf8))).answer()
        #expect(answer.head.status == 201 && answer.head.header("x-name") == "a: b")
        let sent = "POST /a/../b?c HTTP/1.1|Host: 127.0.0.1:\(server.port)|x-test: 1|Content-Length: 4"
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.hasPrefix(sent) && !text.contains("Accept") && !text.contains("User-Agent"), "\(text)")
        let put = try await client.call(request(server.url, .put)).answer()
        #expect(String(decoding: put.body, as: UTF8.self).hasSuffix("Content-Length: 0"))
        // curl decides whether a connection is kept, because it has one pool for all.
        #expect((1...2).contains(server.connections) && server.requests == 2)
    }

    @Test func `an unread body fills only a buffer and is complete when it is read`() async throws {
        let piece = String(repeating: "x", count: 64 << 10)
        let server = RawServer { _, connection in
            RawServer.send("HTTP/1.1 200 OK\r\nContent-Length: \(512 << 16)\r\n\r\n", connection)
            for _ in 0..<512 { guard RawServer.send(piece, connection) else { return false } }
            return true
        }
        let response = try await client.response(to: request(server.url, silence: .milliseconds(500), bodyBytesMax: 1 << 30))
        // Silence of the caller does not count as silence of the server.
        try await Task.sleep(for: .seconds(1))
        var (count, largest) = (0, 0)
        while let piece = try await response.piece() { (count, largest) = (count + piece.count, max(largest, piece.count)) }
        #expect(count == 512 << 16)
        #expect(largest <= 512 << 10)
    }

    @Test func `a compressed body is not decompressed`() async throws {
        let server = RawServer { _, connection in
            RawServer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", connection)
        }
        #expect(await error(request(server.url))?.mayHaveBeenSent == true)
    }

    @Test func `a body above the limit is not read to its end`() async throws {
        let server = RawServer { _, connection in
            RawServer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n\(String(repeating: "x", count: 2_000_000))", connection)
        }
        #expect(await error(request(server.url))?.reason == .bodyTooLarge)
    }

    @Test func `a silent or slow server times out`() async throws {
        let silent = RawServer { _, _ in true }
        #expect(await error(request(silent.url, silence: .milliseconds(200))) == HTTPError(.timeout, mayHaveBeenSent: true))
        let slow = RawServer { _, connection in
            RawServer.send("HTTP/1.1 200 OK\r\n\r\n", connection)
            while RawServer.send("x", connection) { usleep(20_000) }
            return false
        }
        #expect(await error(request(slow.url, total: .milliseconds(500))) == HTTPError(.timeout, mayHaveBeenSent: true))
    }

    @Test func `a request is in doubt if the server closes the connection, and no body is sent twice`() async throws {
        let server = RawServer { request, connection in
            request.hasPrefix("GET") && RawServer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
        }
        _ = try await client.call(request(server.url)).answer()
        let closed = HTTPError(.closed, mayHaveBeenSent: true)
        #expect(await error(request(server.url, .post, body: [1])) == closed)
        #expect(server.requests == 2)
    }

    @Test func `a request that was never sent is not in doubt`() async throws {
        // Port 1 has no listener.
        #expect(await error(request("http://127.0.0.1:1/")) == HTTPError(.unreachable(ECONNREFUSED), mayHaveBeenSent: false))
        #expect(await error(request("http://no-such-name.invalid/")) == HTTPError(.unknownHost, mayHaveBeenSent: false))
        let file = await error(request("file:///etc/passwd"))
        #expect(file?.mayHaveBeenSent == false)
        let plain = RawServer { _, _ in true }
        let handshake = request("https://127.0.0.1:\(plain.port)/")
        var brief = handshake
        brief.timeouts.connect = .milliseconds(200)
        #expect(await error(brief) == HTTPError(.connectTimeout, mayHaveBeenSent: false))
    }

    @Test(arguments: ["HTTP/1.1 099 Odd\r\n\r\n", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"])
    func `a response that is not HTTP is refused`(text: String) async throws {
        let server = RawServer { _, connection in
            RawServer.send(text, connection)
            return false
        }
        #expect(await error(request(server.url)) == HTTPError(.notHTTP, mayHaveBeenSent: true))
    }

    @Test func `an interim response is skipped`() async throws {
        let server = RawServer { _, connection in
            RawServer.send(
                "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nY: 2\r\nContent-Length: 0\r\n\r\n", connection)
        }
        let head = try await client.call(request(server.url)).answer().head
        #expect(head.status == 200 && head.header("x") == nil && head.header("y") == "2")
    }

    @Test func `a cancelled task ends its transfer, and a stopped client all of its transfers`() async throws {
        let silent = RawServer { _, _ in true }
        let task = Task { [client] in try await client.response(to: request(silent.url)) }
        task.cancel()
        let cancelled = await #expect(throws: HTTPError.self) { try await task.value }
        #expect(cancelled?.reason == .cancelled)
        let other = HTTPClient()
        let call = try other.call(request(silent.url))
        other.stop()
        let stopped = await #expect(throws: HTTPError.self) { try await call.answer() }
        #expect(stopped?.reason == .stopped)
        #expect(throws: HTTPError(.stopped, mayHaveBeenSent: false)) { try other.call(request(silent.url)) }
    }

    @Test func `a request opens and reuses no connection to an address that it does not permit`() async throws {
        let server = RawServer { _, connection in RawServer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection) }
        // The first connection is kept.
        _ = try await client.call(request(server.url)).answer()
        var asking = request("http://localhost:\(server.port)/")
        asking.permits = { _ in false }
        #expect(await error(asking) == HTTPError(.forbidden, mayHaveBeenSent: false))
        asking.url = server.url
        #expect(await error(asking) == HTTPError(.forbidden, mayHaveBeenSent: false))
        #expect(server.connections == 1 && server.requests == 1)
        asking.permits = { $0 == "127.0.0.1" }
        #expect(try await client.call(asking).answer().head.address == "127.0.0.1")
        #expect(server.connections == 2)
    }

    @Test func `a host is reached at its permitted addresses`() async throws {
        let server = RawServer { _, connection in RawServer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection) }
        var request = request("http://localhost:\(server.port)/")
        request.permits = { $0 == "127.0.0.1" }
        #expect(try await client.call(request).answer().head.address == "127.0.0.1")
        // Port 1 has no listener. A connection that a permitted address refuses is not reported as forbidden.
        request.url = "http://localhost:1/"
        #expect(await error(request)?.reason == .unreachable(ECONNREFUSED))
    }

    @Test func `certificate files are checked without a connection`() throws {
        let directory = TemporaryDirectory()
        try directory.write("nothing", to: "ca.pem")
        #expect(HTTPCertificates().check() == nil)
        #expect(HTTPCertificates(authorities: "\(directory.path)/ca.pem").check() == .unusableAuthorities)
        #expect(HTTPCertificates(authorities: "/none").check() == .unusableAuthorities)
        #expect(HTTPCertificates(own: ("/none", "/none")).check() == .unusableCertificate)
    }
}
