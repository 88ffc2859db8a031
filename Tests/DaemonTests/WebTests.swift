import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of the files and calls that `todoctl web` serves, and of its access control.
@Suite(.ownThreads) struct WebTests {
    /// A daemon with a todo, and its page.
    private struct Page {
        let daemon: Daemon
        let program: LiveProgram
        let web: WebClient

        init(_ flags: String...) throws {
            daemon = try Daemon.started()
            try daemon.connect().dispatch([Actions.add("Buy the milk")])
            program = try LiveProgram(
                [Products.todoctl, "web"] + flags, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket],
                withErrors: true)
            let line = try program.line() ?? ""
            guard let web = WebClient(line) else { throw Unexpected("no address: \(line)") }
            self.web = web
        }
    }

    @Test func `the page is served without a token, and no answer can be used by another origin`() throws {
        let page = try Page()
        let host = ["Host": "localhost:\(page.web.port)"]
        for answer in [try page.web.answer("GET", "/", host), try page.web.answer("GET", "/nothing", host)] {
            let policy = try #require(answer.fields["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"))
            #expect(policy.hasSuffix("require-trusted-types-for 'script'"))
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            #expect(answer.fields["referrer-policy"] == "no-referrer" && answer.fields["cache-control"] == "no-store")
            #expect(answer.fields["cross-origin-opener-policy"] == "same-origin")
            #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
            #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control") })
        }
        let index = try page.web.answer("GET", "/", host)
        #expect(index.status == 200 && index.fields["content-type"] == "text/html; charset=utf-8")
        #expect(index.body.lowercased().hasPrefix("<!doctype html>") && !index.body.contains(page.web.token))
        #expect(try page.web.answer("GET", "/index.html", host).body == index.body)
    }

    @Test func `no path leads to a file outside of the page`() throws {
        let page = try Page()
        let paths = [
            "/../todoweb", "/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd",
            "//etc/passwd",
            "/./index.html", "/index.html/", "/index.html%00", "/INDEX.HTML", "/etc/passwd", "/call", "/health",
            "http://127.0.0.1:\(page.web.port)/index.html",
        ]
        for path in paths {
            #expect(try page.web.answer("GET", path, ["Host": "127.0.0.1:\(page.web.port)"]).status == 404, "\(path)")
        }
    }

    @Test(arguments: [
        (["Authorization": ""], 401, "Unauthorized"),
        (["Authorization": "Bearer 0123456789abcdef0123456789abcdef"], 401, "Unauthorized"),
        (["Host": "evil.example"], 403, "ForeignHost"), (["Host": "127.0.0.1"], 403, "ForeignHost"),
        (["Host": ""], 403, "ForeignHost"), (["Origin": "http://evil.example"], 403, "ForeignOrigin"),
        (["Origin": "null"], 403, "ForeignOrigin"), (["Sec-Fetch-Site": "cross-site"], 403, "ForeignOrigin"),
        (["Sec-Fetch-Site": "same-site"], 403, "ForeignOrigin"), (["Content-Type": "text/plain"], 415, "UnsupportedMediaType"),
        (["Content-Type": ""], 415, "UnsupportedMediaType"),
    ])
    func `an unauthorized call does not reach the daemon`(changes: [String: String], status: Int, error: String) throws {
        let page = try Page()
        let before = try page.daemon.connect().sequence()
        let body = #"{"actions":[{"counter":{"increment":{}}}]}"#
        let refused = try page.web.call("org.todod.Store.Dispatch", body, changes)
        #expect(refused.status == status && refused.body.contains("org.todod.web.\(error)"), "\(refused)")
        #expect(try page.daemon.connect().sequence() == before)
        #expect(try page.web.call("org.todod.Store.Dispatch", body).status == 200)
    }

    @Test func `other HTTP methods and invalid HTTP are refused with the same fields`() throws {
        let page = try Page()
        #expect(try page.web.answer("GET", "/call/org.todod.Admin.Ping", page.web.fields).status == 405)
        #expect(try page.web.answer("DELETE", "/", page.web.fields).fields["allow"] == "GET")
        #expect(try page.web.answer("OPTIONS", "/call/org.todod.Admin.Ping", page.web.fields).status == 405)
        let long = String(repeating: "x", count: 20_000)
        #expect(try page.web.call("org.todod.Admin.Ping", "{}", ["X-Long": long]).status == 431)
        let junk = try WebRequest(port: page.web.port, "what is this?\r\n\r\n").rest()
        let told = String(decoding: junk, as: UTF8.self)
        #expect(told.hasPrefix("HTTP/1.1 400 ") && told.contains("Content-Security-Policy"), "\(told)")
    }

    @Test func `a body that is too large is refused, with or without a declared length`() throws {
        let page = try Page()
        let large = #"{"scope":""# + String(repeating: "x", count: 1 << 20) + #""}"#
        #expect(try page.web.call("org.todod.Store.GetState", large).status == 413)
        let chunked = String(large.utf8.count, radix: 16) + "\r\n" + large + "\r\n0\r\n\r\n"
        #expect(try page.web.call("org.todod.Store.GetState", chunked, ["Transfer-Encoding": "chunked"]).status == 413)
        // At the maximum size the daemon answers.
        let fitting = #"{"scope":""# + String(repeating: "x", count: (1 << 20) - 12) + #""}"#
        let answer = try page.web.call("org.todod.Store.GetState", fitting)
        #expect(answer.status == 400 && answer.body.contains("org.varlink.service"), "\(answer)")
    }

    @Test func `a call gets the daemon's answer`() throws {
        let page = try Page()
        let answer = try page.web.call("org.todod.Store.GetState", #"{"scope":"todos.items"}"#)
        #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
        #expect(try Value(parsing: answer.body)["state"]?.titles == ["Buy the milk"])
        #expect(try Value(parsing: page.web.call("org.todod.Admin.Ping", "").body)["sequence"] == 1)
        #expect(try page.web.call("org.varlink.service.GetInfo").status == 200)

        let refused = try page.web.call("org.todod.Store.GetState", #"{"scope":"music"}"#)
        #expect(refused.status == 400 && refused.body.hasPrefix(#"{"error":"org.todod.Store.UnknownScope","parameters":{"#))
        #expect(try Value(parsing: refused.body)["parameters"]?["message"]?.text?.contains("music") == true)
        #expect(try page.web.call("org.todod.Store.Dance").status == 404)
        #expect(try page.web.call("org.example.Dance").status == 404)
        #expect(try page.web.call("no method").status == 400)
        #expect(try page.web.call("Ping").status == 404)
    }

    @Test(arguments: [
        "[]", "{", "{}}", #"{},"more":true"#, "{}\u{0}", "nothing",
        "{}}\u{0}{\"method\":\"org.todod.Store.Dispatch\",\"parameters\":{\"actions\":[{\"counter\":{\"increment\":{}}}]}",
    ])
    func `a body is parameters and never a part of a call`(body: String) throws {
        let page = try Page("--read-only")
        let refused = try page.web.call("org.todod.Admin.Ping", body)
        #expect(refused.status == 400 && refused.body.contains("org.todod.web.BadRequest"), "\(refused)")
        #expect(try page.daemon.connect().sequence() == 1)
    }

    @Test func `replies arrive one by one, and a disconnect ends the subscription in the daemon`() throws {
        let page = try Page()
        let admin = try page.daemon.connect()
        var stream: WebRequest? = try page.web.stream("org.todod.Store.Subscribe", #"{"scope":"counter"}"#)
        let first = try #require(try stream?.reply())
        #expect(try Value(parsing: first)["continues"] == true)
        try admin.dispatch([Actions.increment])
        let second = try Value(parsing: try #require(try stream?.reply()))["parameters"]
        #expect(second?["sequence"] == 2 && second?["changes"]?.list?.first?["new"]?["count"] == 1)
        #expect(try admin.status()["subscribers"] == 1)
        stream = nil
        let patience = Deadline(seconds: 60)
        while try admin.status()["subscribers"] != 0, patience.milliseconds > 0 { sched_yield() }
        #expect(try admin.status()["subscribers"] == 0)
        #expect(try admin.status()["clients"] == 1)
    }

    @Test func `a stream ends with the last reply or with an error, and the next request is answered`() throws {
        let page = try Page()
        let whole = try page.web.stream("org.todod.Store.GetState")
        var last = ""
        while let reply = try whole.reply() { last = reply }
        let told = try Value(parsing: last)
        #expect(told["parameters"]?["sequence"] == 1 && told["continues"] == nil)
        let refused = try page.web.stream("org.todod.Store.Subscribe", #"{"scope":"music"}"#)
        #expect(try refused.reply()?.hasPrefix(#"{"error":"org.todod.Store.UnknownScope""#) == true)
        #expect(try refused.reply() == nil)
    }

    @Test func `a client that does not read causes backpressure to the daemon, and the server buffers little`() throws {
        let page = try Page()
        let client = try page.daemon.connect()
        let note = String(repeating: "x", count: 60_000)
        for _ in 0..<15 {
            try client.dispatch(
                (0..<10).map { _ in ["todos": ["add": ["items": [["title": "Keep this", "note": .text(note)]]]]] })
        }
        _ = try page.web.call("org.todod.Admin.Ping")
        let before = try page.program.anonymousKiB()
        let export = try page.web.stream("org.todod.History.Export")
        _ = try export.more()
        #expect(try isHeldUp(page.daemon))
        if !Sanitizer.isOn { #expect(try page.program.anonymousKiB() - before < 8_192) }
        #expect(try export.rest().count > 15_000_000)
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
    }

    /// Whether the daemon's subscriber is blocked: the number of waiting bytes does not change.
    private func isHeldUp(_ daemon: Daemon) throws -> Bool {
        let client = try daemon.connect()
        var (last, times) = (Int64(0), 0)
        let patience = Deadline(seconds: 60)
        while patience.milliseconds > 0, times < 500 {
            let clients = try client.call("org.todod.Admin.Clients")["clients"]?.list ?? []
            // The test's own two connections, and the reader while it is there.
            guard clients.count == 3 else { return false }
            let waiting = clients.compactMap { $0["waitingBytes"]?.int }.max() ?? 0
            times = waiting > 0 && waiting == last ? times + 1 : 0
            last = waiting
        }
        return times == 500
    }

    @Test func `a connection that sends nothing is closed and does not block clients with the token`() throws {
        let page = try Page()
        let silent = try WebRequest(port: page.web.port, "", seconds: 30)
        #expect(try silent.rest().isEmpty)
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
    }

    @Test func `a client that sends requests and reads no answers is disconnected`() throws {
        let page = try Page()
        let request = "GET /index.html HTTP/1.1\r\nHost: 127.0.0.1:\(page.web.port)\r\n\r\n"
        #expect(try WebRequest(port: page.web.port, String(repeating: request, count: 300_000)).isCutOff)
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
    }

    @Test func `a client with the token is answered, however many connect without it`() throws {
        let page = try Page()
        let stream = try page.web.stream("org.todod.Store.Subscribe", #"{"scope":"counter"}"#)
        _ = try stream.reply()
        let silent = try (0..<150).map { _ in try WebRequest(port: page.web.port, "GET / HTTP/1.1\r\nHost: ") }
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
        #expect(try page.web.answer("GET", "/icon.svg", page.web.fields).fields["cache-control"] == "private, max-age=3600")
        try page.daemon.connect().dispatch([Actions.increment])
        #expect(try stream.reply()?.contains(#""sequence":2"#) == true)
        withExtendedLifetime(silent) {}
    }

    @Test func `the read-only server forwards no call that may change something`() throws {
        let page = try Page("--read-only")
        for method in [
            "org.todod.Store.Dispatch", "org.todod.History.Undo", "org.todod.Admin.Hold", "org.todod.Admin.ChangeCommand",
        ] {
            let refused = try page.web.call(method, #"{"actions":[{"counter":{"increment":{}}}]}"#)
            #expect(refused.status == 403 && refused.body.contains("org.todod.web.ReadOnly"), "\(method)")
        }
        #expect(try page.web.call("org.todod.Store.Newer").status == 403)
        #expect(try page.daemon.connect().sequence() == 1)
        #expect(try page.web.call("org.todod.Store.GetState").status == 200)
        #expect(try page.web.call("org.varlink.service.GetInfo").status == 200)
    }

    @Test func `a disconnected daemon is reported, and a new one is called again`() throws {
        let page = try Page()
        let stream = try page.web.stream("org.todod.Store.Subscribe", #"{"scope":"counter"}"#)
        _ = try stream.reply()
        try page.daemon.kill()
        #expect(try stream.reply()?.hasPrefix(#"{"error":"org.todod.web.DaemonAway","#) == true)
        #expect(try stream.reply() == nil)
        let away = try page.web.call("org.todod.Admin.Ping")
        #expect(away.status == 503 && away.body.contains("org.todod.web.DaemonAway"), "\(away)")
        #expect(try page.web.answer("GET", "/", page.web.fields).status == 200)
        try page.daemon.start()
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends the server and leaves the daemon running`(signal: Int32) throws {
        let page = try Page()
        let stream = try page.web.stream("org.todod.Store.Subscribe", #"{"scope":"counter"}"#)
        _ = try stream.reply()
        page.program.signal(signal)
        #expect(try page.program.end() == .signal(signal))
        #expect(throws: SystemFailure.self) { try page.web.call("org.todod.Admin.Ping") }
        #expect(try page.daemon.connect().sequence() == 1)
    }

    @Test func `a failure to serve is reported with an exit status and a message`() throws {
        let page = try Page()
        let taken = try page.daemon.todoctl("web", "--port", String(page.web.port))
        #expect(taken.end == .exit(75) && taken.error.contains("Choose another --port"), "\(taken)")
        #expect(try page.daemon.todoctl("web", "--port", "70000").end == .exit(64))
        let away = try page.daemon.todoctl("web", "--socket", page.daemon.directory.path + "/nobody")
        #expect(away.end == .exit(69) && away.output.isEmpty && away.error.contains("todod --socket"), "\(away)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root is refused a browser"))
    func `a browser that can't be opened is reported, and the page is served anyway`() throws {
        let page = try Page("--open")
        #expect(try page.program.line()?.contains("open the address yourself") == true)
        #expect(try page.web.call("org.todod.Admin.Ping").status == 200)
    }
}
