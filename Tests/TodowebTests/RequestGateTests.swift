import Testing
import TodoAPI

@testable import todoweb

@Suite struct RequestGateTests {
    private static let token = AccessToken("0123456789abcdef0123456789abcdef")

    private static func gate(port: Int = 8080, isReadOnly: Bool = false) -> RequestGate {
        RequestGate(port: port, token: token, isReadOnly: isReadOnly)
    }

    /// A call of the page with one field replaced.
    private static func call(_ method: String = "org.todod.Admin.Ping", _ changes: (String, String?)...) -> RequestGate.Head {
        var fields: [(String, String)] = [
            ("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1:8080"), ("Authorization", "Bearer \(token.text)"),
            ("Content-Type", "application/json"),
        ]
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        return RequestGate.Head(verb: "POST", target: "/call/" + method, fields: fields)
    }

    private static func refusal(_ head: RequestGate.Head, _ gate: RequestGate = gate()) -> Refusal? {
        do throws(Refusal) {
            _ = try gate.verdict(on: head)
            return nil
        } catch {
            return error
        }
    }

    private static func admitted(_ head: RequestGate.Head, _ gate: RequestGate = gate()) throws -> RequestGate.Call? {
        if case .call(let call) = try gate.verdict(on: head) { call } else { nil }
    }

    @Test func `a complete call is admitted, once or as a stream`() throws {
        #expect(try Self.admitted(Self.call()) == .init(method: "org.todod.Admin.Ping", isStream: false))
        let accepts = [
            "application/json-seq": true, "application/json, application/json-seq;q=0.5": true, "Application/JSON-Seq": true,
            "application/json": false, "*/*": false, "application/json-sequence": false,
        ]
        for (accept, isStream) in accepts {
            #expect(try Self.admitted(Self.call("org.todod.Admin.Ping", ("Accept", accept)))?.isStream == isStream, "\(accept)")
        }
        #expect(try Self.admitted(Self.call("org.todod.Admin.Ping", ("Origin", nil))) != nil)
        #expect(try Self.admitted(Self.call("org.todod.Admin.Ping", ("Sec-Fetch-Site", "none"))) != nil)
        #expect(try Self.admitted(Self.call("org.todod.Admin.Ping", ("Content-Type", "application/json; charset=utf-8"))) != nil)
        #expect(try Self.admitted(Self.call("org.todod.Admin.Ping", ("Authorization", "bearer  \(Self.token.text)"))) != nil)
    }

    @Test func `the local machine has three host names with one port`() {
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            #expect(Self.refusal(Self.call("a.B", ("Host", host), ("Origin", nil))) == nil, "\(host)")
            #expect(Self.refusal(Self.call("a.B", ("Host", host), ("Origin", "http://" + host))) == nil, "\(host)")
        }
        let foreign = [
            "127.0.0.1", "localhost", "127.0.0.1:8081", "127.0.0.1.evil.example:8080", "evil.example:8080", "evil.example", "",
            "localhost.:8080", "127.0.0.1:8080 ", "0.0.0.0:8080", "127.1:8080",
        ]
        for host in foreign {
            #expect(Self.refusal(Self.call("a.B", ("Host", host), ("Origin", nil))) == .foreignHost, "\(host)")
        }
        #expect(Self.refusal(Self.call("a.B", ("Host", "localhost"), ("Origin", nil)), Self.gate(port: 80)) == nil)
        var twice = Self.call()
        twice.fields.append(("host", "127.0.0.1:8080"))
        #expect(Self.refusal(twice) == .foreignHost)
        #expect(Self.refusal(Self.call("a.B", ("Host", nil))) == .foreignHost)
    }

    @Test func `a page of another origin is refused everything, even the page`() {
        for origin in [
            "http://evil.example", "null", "https://127.0.0.1:8080", "http://localhost:8080", "http://127.0.0.1:8081", "",
        ] {
            #expect(Self.refusal(Self.call("a.B", ("Origin", origin))) == .foreignOrigin, "\(origin)")
            let page = RequestGate.Head(verb: "GET", target: "/", fields: [("Host", "127.0.0.1:8080"), ("Origin", origin)])
            #expect(Self.refusal(page) == .foreignOrigin, "\(origin)")
        }
        for site in ["cross-site", "same-site", "", "Same-Origin"] {
            #expect(Self.refusal(Self.call("a.B", ("Sec-Fetch-Site", site))) == .foreignOrigin, "\(site)")
        }
    }

    @Test func `a call without the token is refused`() {
        let shown: [String?] = [
            nil, "", "Bearer", "Bearer ", Self.token.text, "Basic \(Self.token.text)", "Bearer \(Self.token.text.uppercased())",
            "Bearer \(Self.token.text.dropLast())", "Bearer \(Self.token.text)0", "Bearer \(Self.token.text) x",
        ]
        for value in shown {
            #expect(Self.refusal(Self.call("a.B", ("Authorization", value))) == .unauthorized, "\(value ?? "nil")")
        }
        var twice = Self.call()
        twice.fields.append(("authorization", "Bearer \(Self.token.text)"))
        #expect(Self.refusal(twice) == .unauthorized)
    }

    @Test func `parameters must be JSON of limited size`() {
        for type: String? in [nil, "", "text/plain", "application/x-www-form-urlencoded", "application/json, text/plain", "json"]
        {
            #expect(Self.refusal(Self.call("a.B", ("Content-Type", type))) == .otherType, "\(type ?? "nil")")
        }
        let most = WebLimits.bodyBytesMax
        #expect(Self.refusal(Self.call("a.B", ("Content-Length", String(most)))) == nil)
        #expect(Self.refusal(Self.call("a.B", ("Content-Length", String(most + 1)))) == .tooLarge)
    }

    @Test func `a page requires GET, and a call requires POST`() {
        var call = Self.call()
        call.verb = "GET"
        #expect(Self.refusal(call)?.status == 405 && Self.refusal(call)?.field?.value == "POST")
        let page = RequestGate.Head(verb: "POST", target: "/", fields: [("Host", "127.0.0.1:8080")])
        #expect(Self.refusal(page)?.status == 405 && Self.refusal(page)?.field?.value == "GET")
        for target in ["/call", "/health", "/nothing", "*", "", "http://127.0.0.1:8080/"] {
            let head = RequestGate.Head(verb: "GET", target: target, fields: [("Host", "127.0.0.1:8080")])
            #expect(Self.refusal(head) == .notFound, "\(target)")
        }
        let query = RequestGate.Head(verb: "GET", target: "/?utm=1", fields: [("Host", "127.0.0.1:8080")])
        #expect(Self.refusal(query) == nil)
    }

    @Test func `an invalid method name is not found`() {
        for method in ["", "Ping", "a.B/c", "a.\"B", "a.%42", "a.B\u{0}", "ä.B", "a." + String(repeating: "b", count: 254)] {
            #expect(Self.refusal(Self.call(method)) == .notFound, "\(method)")
        }
    }

    @Test func `a read-only server admits exactly the methods that only read`() {
        let gate = Self.gate(isReadOnly: true)
        for (name, method) in KnownMethod.named {
            #expect((Self.refusal(Self.call(name), gate) == nil) == (method.right == .read), "\(name)")
            #expect(Self.refusal(Self.call(name)) == nil, "\(name)")
        }
        #expect(Self.refusal(Self.call("org.varlink.service.GetInfo"), gate) == nil)
        for unknown in ["org.todod.Store.Newer", "org.varlink.serviceX.Y", "org.example.Z"] {
            #expect(Self.refusal(Self.call(unknown), gate) == .readOnly, "\(unknown)")
        }
    }

    @Test func `a token has 32 digits, differs at each start, and equals only itself`() {
        let (one, other) = (AccessToken(), AccessToken())
        #expect(one.text.utf8.count == 32 && one.text.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(one.text != other.text && one.matches(one.text) && !one.matches(other.text) && !one.matches(""))
    }
}
