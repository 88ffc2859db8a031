import AsyncHTTPClient
import NIOSSL
import Testing

@testable import Etcd

/// What answers mean that say one thing and are another.
@Suite struct EtcdAnswerTests {
    @Test(arguments: [
        #"{"result":{"created":true,"canceled":true,"cancel_reason":"etcdserver: permission denied"}}"#,
        #"{"result":{"canceled":true,"compact_revision":"90"}}"#,
        #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#,
        #"{"error":"etcdserver: no leader"}"#,
    ]) func `a watch that was refused or ended says so in what it tells, with status 200`(line: String) {
        #expect(throws: EtcdError.self) { try EtcdClient.events(Array(line.utf8)) }
    }

    @Test func `a watch tells what was written, and that it is there`() throws {
        #expect(try EtcdClient.events(Array(#"{"result":{"created":true}}"#.utf8)) == [.begun])
        #expect(try EtcdClient.events(Array(#"{"result":{"header":{"revision":"7"}}}"#.utf8)) == [.other])
        let line =
            #"{"result":{"events":[{"kv":{"key":"AQ==","mod_revision":"7","value":"Ag=="}},{"type":"DELETE","kv":{"key":"AQ=="}}]}}"#
        let events = try EtcdClient.events(Array(line.utf8))
        #expect(events == [.put(EtcdEntry(key: [1], value: [2], createRevision: 0, modRevision: 7)), .other])
    }

    @Test(arguments: [
        (400, "etcdserver: request is too large", EtcdError.refused(.tooLarge, "etcdserver: request is too large")),
        (
            400, "etcdserver: mvcc: required revision has been compacted",
            .refused(.compacted, "etcdserver: mvcc: required revision has been compacted")
        ),
        (401, "etcdserver: invalid auth token", .refused(.denied, "etcdserver: invalid auth token")),
        (404, "etcdserver: requested lease not found", .refused(.notFound, "etcdserver: requested lease not found")),
        (429, "etcdserver: mvcc: database space exceeded", .refused(.full, "etcdserver: mvcc: database space exceeded")),
        (429, "grpc: received message larger than max", .refused(.tooLarge, "grpc: received message larger than max")),
        (503, "etcdserver: no leader", .away("etcdserver: no leader")),
        (503, "etcdserver: request timed out", .doubt("etcdserver: request timed out (503)")),
        (500, "", .doubt("status (500)")),
    ]) func `only what was refused beforehand is known not to be done`(status: Int, message: String, error: EtcdError) {
        #expect(EtcdError(status: status, message: message) == error)
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
            NIOSSLError.handshakeFailed(.syscallError), NIOSSLExtraError.failedToValidateHostname, HTTPClientError.connectTimeout,
            HTTPClientError.tlsHandshakeTimeout,
        ]
        for error in away {
            guard case .away = EtcdError(during: error, at: "a:2379") else {
                Issue.record("\(error)")
                continue
            }
        }
    }
}
