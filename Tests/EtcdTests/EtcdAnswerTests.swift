import AsyncHTTPClient
import NIOSSL
import Testing
import Values

@testable import Etcd

/// What answers mean that say one thing and are another.
@Suite struct EtcdAnswerTests {
    private func events(_ line: String) throws -> [EtcdEvent] {
        try EtcdClient.events(try? Value(parsing: Array(line.utf8), limits: .ofMembers))
    }

    @Test(arguments: [
        #"{"result":{"created":true,"canceled":true,"cancel_reason":"etcdserver: permission denied"}}"#,
        #"{"result":{"canceled":true,"compact_revision":"90"}}"#,
        #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#,
        #"{"error":"etcdserver: no leader"}"#,
    ]) func `a watch that was refused or ended says so in what it tells, with status 200`(line: String) {
        #expect(throws: EtcdError.self) { try events(line) }
    }

    @Test func `a watch tells what was written, and that it is there`() throws {
        #expect(try events(#"{"result":{"created":true}}"#) == [.begun])
        #expect(try events(#"{"result":{"header":{"revision":"7"}}}"#) == [.other])
        let line =
            #"{"result":{"events":[{"kv":{"key":"AQ==","mod_revision":"7","value":"Ag=="}},{"type":"DELETE","kv":{"key":"AQ=="}}]}}"#
        let events = try events(line)
        #expect(events == [.put(EtcdEntry(key: [1], value: [2], createRevision: 0, modRevision: 7)), .other])
    }

    @Test(arguments: [
        (400, "etcdserver: request is too large", EtcdError.refused(.tooLarge, "etcdserver: request is too large")),
        (
            400, "etcdserver: mvcc: required revision has been compacted",
            .refused(.compacted, "etcdserver: mvcc: required revision has been compacted")
        ),
        (
            400, "etcdserver: revision of auth store is old", .refused(.expired, "etcdserver: revision of auth store is old")
        ),
        (401, "etcdserver: invalid auth token", .refused(.expired, "etcdserver: invalid auth token")),
        (403, "etcdserver: permission denied", .refused(.denied(.permission), "etcdserver: permission denied")),
        (404, "etcdserver: requested lease not found", .refused(.notFound, "etcdserver: requested lease not found")),
        (429, "etcdserver: mvcc: database space exceeded", .refused(.full, "etcdserver: mvcc: database space exceeded")),
        (429, "grpc: received message larger than max", .refused(.tooLarge, "grpc: received message larger than max")),
        (503, "etcdserver: no leader", .away("etcdserver: no leader")),
        (503, "etcdserver: request timed out", .doubt("etcdserver: request timed out (503)")),
        (500, "", .doubt("status (500)")),
    ]) func `only what was refused beforehand is known not to be done`(status: Int, message: String, error: EtcdError) {
        #expect(EtcdError(status: status, message: message) == error)
    }

    @Test(arguments: [
        #"{"ID":"7","TTL":"-1"}"#, #"{"ID":"7","TTL":"9223372036854775807"}"#, #"{"TTL":"10"}"#, #"{"ID":"-7","TTL":"10"}"#,
    ]) func `a lease that can't be is none`(text: String) throws {
        #expect(try Value(parsing: text).lease == nil)
        #expect(try Value(parsing: #"{"ID":"7","TTL":"10"}"#).lease == EtcdLease(id: 7, seconds: 10))
    }

    @Test func `no revision is below 0`() throws {
        func answer(_ revision: Int64) throws -> EtcdTransaction.Answer? {
            var writer = MessageWriter()
            writer.message(1) { $0.number(3, revision) }
            return try EtcdTransaction.Answer(writer.bytes[...])
        }
        #expect(try answer(-1) == nil)
        #expect(try answer(7)?.revision == 7)
    }

    @Test(
        arguments: [
            [0x08], [0x08, 0x80], [0x0A, 5, 1], [0x0B], [0x09, 1, 2], Array(repeating: 0xFF, count: 20),
            [0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
        ] as [[UInt8]]) func `bytes that are no message are none`(bytes: [UInt8])
    {
        #expect(throws: MalformedMessage.self) { try EtcdTransaction.Answer(bytes[...]) }
    }

    @Test func `what nobody knows in a message is passed over`() throws {
        let unknown: [UInt8] = [0xF9, 0x7F, 1, 2, 3, 4, 5, 6, 7, 8, 0xFD, 0x7F, 1, 2, 3, 4, 0xF8, 0x7F, 1, 0xFA, 0x7F, 1, 1]
        let answer = try EtcdTransaction.Answer(([0x0A, 2, 0x18, 7] + unknown + [0x10, 1])[...])
        #expect(answer == EtcdTransaction.Answer(hasSucceeded: true, revision: 7, cluster: nil, entries: []))
    }

    @Test func `what a member says fits into a line`() {
        let message = String(repeating: #"no\n"#, count: 10_000)
        let error = #expect(throws: EtcdError.self) { try events(#"{"error":"\#(message)"}"#) }
        let sentence = error.map { "\($0)" } ?? ""
        #expect(sentence.contains("no no") && sentence.utf8.count < 300)
    }

    @Test func `what a member says does nothing to a terminal`() {
        for control in ["\u{9B}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{1B}"] {
            #expect("a\(control)b".asLine == "a b")
        }
        #expect("Grüße, 世界".asLine == "Grüße, 世界")
    }

    @Test func `people are told what happened, and no places in the sources of libraries`() {
        let errors: [(any Error, String)] = [
            (HTTPClientError.deadlineExceeded, "https://a:2379: it did not answer in time"),
            (HTTPClientError.remoteConnectionClosed, "https://a:2379: it closed the connection"),
            (BoringSSLError.sslError([]), "https://a:2379: both could not agree on TLS"),
        ]
        for (error, sentence) in errors {
            #expect(EtcdError(during: error, at: "https://a:2379") == .doubt(sentence))
        }
        let plain = EtcdError(during: HTTPClientError.remoteConnectionClosed, at: "http://a:2379")
        #expect("\(plain)".contains("want https:// in place of etcd://"))
    }

    @Test func `a connection that breaks off leaves what was asked in doubt, and one that never came about does not`() {
        let broken: [any Error] = [
            NIOSSLError.uncleanShutdown, BoringSSLError.syscallError, HTTPClientError.remoteConnectionClosed,
            HTTPClientError.readTimeout,
        ]
        for error in broken {
            guard case .doubt = EtcdError(during: error, at: "a:2379") else {
                Issue.record("\(error)")
                continue
            }
        }
        let away: [any Error] = [
            NIOSSLError.handshakeFailed(.syscallError), HTTPClientError.connectTimeout, HTTPClientError.tlsHandshakeTimeout,
            HTTPClientError.getConnectionFromPoolTimeout,
        ]
        for error in away {
            guard case .away = EtcdError(during: error, at: "a:2379") else {
                Issue.record("\(error)")
                continue
            }
        }
        let distrust: [any Error] = [
            NIOSSLExtraError.failedToValidateHostname, NIOSSLError.noSuchFilesystemObject, NIOSSLError.failedToLoadCertificate,
        ]
        for error in distrust {
            guard case .untrusted = EtcdError(during: error, at: "a:2379") else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test func `what only a person can mend is told from what is over by itself`() {
        #expect(EtcdError(status: 400, message: "etcdserver: authentication failed, invalid user ID or password").isLasting)
        #expect(EtcdError(status: 403, message: "etcdserver: permission denied").isLasting)
        #expect(EtcdError(during: NIOSSLExtraError.failedToValidateHostname, at: "a:2379").isLasting)
        #expect(!EtcdError(status: 401, message: "etcdserver: invalid auth token").isLasting)
        #expect(!EtcdError(status: 503, message: "etcdserver: no leader").isLasting)
        #expect(!EtcdError(during: HTTPClientError.connectTimeout, at: "a:2379").isLasting)
    }
}
