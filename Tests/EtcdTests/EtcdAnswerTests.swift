import ChronicleValues
import Curl
import Testing

@testable import Etcd

/// Tests of answers whose meaning differs from their status.
@Suite struct EtcdAnswerTests {
    private func events(_ line: String) throws -> [EtcdEvent] {
        try EtcdClient.events(try? Value(parsing: Array(line.utf8), limits: .ofMembers))
    }

    @Test(arguments: [
        #"{"result":{"created":true,"canceled":true,"cancel_reason":"etcdserver: permission denied"}}"#,
        #"{"result":{"canceled":true,"compact_revision":"90"}}"#,
        #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#,
        #"{"error":"etcdserver: no leader"}"#,
    ]) func `a watch that is refused or cancelled is an error although its status is 200`(line: String) {
        #expect(throws: EtcdError.self) { try events(line) }
    }

    @Test func `a watch delivers its creation and the written entries`() throws {
        #expect(try events(#"{"result":{"created":true}}"#) == [.begun])
        #expect(try events(#"{"result":{"header":{"revision":"7"}}}"#) == [])
        let line =
            #"{"result":{"events":[{"kv":{"key":"AQ==","mod_revision":"7","value":"Ag=="}},{"type":"DELETE","kv":{"key":"AQ=="}}]}}"#
        let events = try events(line)
        #expect(events == [.put(EtcdEntry(key: [1], value: [2], createRevision: 0, modRevision: 7))])
    }

    @Test(arguments: [
        #"{"ID":"7","TTL":"-1"}"#, #"{"ID":"7","TTL":"9223372036854775807"}"#, #"{"TTL":"10"}"#, #"{"ID":"-7","TTL":"10"}"#,
    ]) func `an invalid lease is rejected`(text: String) throws {
        #expect(try Value(parsing: text).lease == nil)
        #expect(try Value(parsing: #"{"ID":"7","TTL":"10"}"#).lease == EtcdLease(id: 7, seconds: 10))
    }

    @Test(arguments: ["-1", "9223372036854775807"])
    func `an answer with an invalid revision is unreadable`(revision: String) throws {
        #expect(EtcdTransaction.Answer(try Value(parsing: #"{"header":{"revision":"\#(revision)"}}"#)) == nil)
    }

    @Test func `a message of a member is shortened to one line`() {
        let message = String(repeating: #"no\n"#, count: 10_000)
        let error = #expect(throws: EtcdError.self) { try events(#"{"error":"\#(message)"}"#) }
        let sentence = error.map { "\($0)" } ?? ""
        #expect(sentence.contains("no no") && sentence.utf8.count < 300)
    }

    @Test func `control characters in a message of a member are escaped`() {
        for control in ["\u{9B}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{1B}"] {
            #expect("a\(control)b".asLine == "a b")
        }
        #expect("Grüße, 世界".asLine == "Grüße, 世界")
    }

    @Test func `a request is in doubt if and only if a part of it was sent`() {
        let reasons: [(HTTPError.Reason, String)] = [
            (.timeout, "it did not answer in time"), (.closed, "it closed the connection"), (.tls, "the TLS handshake failed"),
            (.bodyTooLarge, "its answer is too large"), (.notHTTP, "its answer is not HTTP"),
            (.unreachable(111), "connection refused"), (.connectTimeout, "there was no connection in time"),
            (.other(7), "its answer is not HTTP"),
        ]
        for (reason, words) in reasons {
            let sentence = "https://a:2379: \(words)"
            let (sent, unsent) = (HTTPError(reason, mayHaveBeenSent: true), HTTPError(reason, mayHaveBeenSent: false))
            #expect(EtcdError(during: sent, at: "https://a:2379") == .doubt(sentence))
            #expect(EtcdError(during: unsent, at: "https://a:2379") == .away(sentence))
        }
        let plain = EtcdError(during: HTTPError(.closed, mayHaveBeenSent: true), at: "http://a:2379")
        #expect("\(plain)".contains("write https:// instead of etcd://"))
    }

    @Test func `errors that need a person are distinguished from temporary ones`() {
        #expect(EtcdError(code: 3, message: "etcdserver: authentication failed, invalid user ID or password").isLasting)
        #expect(EtcdError(code: 7, message: "etcdserver: permission denied").isLasting)
        #expect(EtcdError(during: HTTPError(.wrongServerName, mayHaveBeenSent: false), at: "a:2379").isLasting)
        #expect(EtcdError(during: HTTPError(.certificateRefused, mayHaveBeenSent: true), at: "a:2379").isLasting)
        #expect(!EtcdError(code: 16, message: "etcdserver: invalid auth token").isLasting)
        #expect(!EtcdError(code: 14, message: "etcdserver: no leader").isLasting)
        #expect(!EtcdError(during: HTTPError(.connectTimeout, mayHaveBeenSent: false), at: "a:2379").isLasting)
    }
}
