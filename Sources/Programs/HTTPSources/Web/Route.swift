import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix

/// The way to one address of a host: connections go there and nowhere else, whatever the name means by then.
final class Route: Sendable {
    let name: String
    /// The address, in numbers.
    let number: String
    let client: HTTPClient

    init(to name: String, at number: String, hosts: Hosts) {
        self.name = name
        self.number = number
        let zone = hosts.zone(number)
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.timeout.connect = .seconds(5)
        settings.connectionPool.idleTimeout = .seconds(15)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
        // Who tries again, and when, is decided where commands are run.
        settings.connectionPool.retryConnectionEstablishment = false
        // The certificate and the request still name the host.
        settings.dnsOverride = [name: number]
        // Should the client spell the name another way and look it up by itself, nothing is sent to where it does not belong.
        settings.http1_1ConnectionDebugInitializer = { channel in
            let isThere = channel.remoteAddress?.ipAddress.map { hosts.zone($0) == zone } ?? false
            return isThere
                ? channel.eventLoop.makeSucceededVoidFuture() : channel.eventLoop.makeFailedFuture(Hosts.UnknownHost())
        }
        client = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: settings)
    }

    deinit {
        // The library ends a program that forgets a client; one that was not stopped ends by itself, a little later.
        client.shutdown { _ in }
    }

    func stop() async {
        // It fails only when it was shut down before.
        do { try await client.shutdown() } catch { return }
    }

    /// Whether a call failed before anything was sent, so that another address may be tried.
    static func wasNotReached(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError: true
        case let error as HTTPClientError: error == .connectTimeout
        case let error as IOError: [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ETIMEDOUT].contains(error.errnoCode)
        default: false
        }
    }
}
