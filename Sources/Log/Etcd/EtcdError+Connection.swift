internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

extension EtcdError {
    /// What it means that a request ended without an answer.
    ///
    /// - Parameter address: that of the member, with how it is asked: `https://host:port`.
    init(during error: any Error, at address: String) {
        switch error {
        case RPCError.unconnected(let cause?):
            self = EtcdError(during: cause, at: address).beforehand
            return
        // Whatever the cause is, the request was sent.
        case RPCError.broken(let cause, let hasAnswered):
            let distrust = hasAnswered ? nil : Self.distrust(cause).map { EtcdError.untrusted($0, "\(address): \($1)") }
            self = distrust ?? .doubt("\(address): \(Self.reason(cause, at: address))")
            return
        default: break
        }
        if let (concern, distrust) = Self.distrust(error) {
            self = .untrusted(concern, "\(address): \(distrust)")
            return
        }
        let isAway =
            switch error {
            case is NIOConnectionError, ChannelError.connectTimeout, RPCError.unconnected: true
            case let error as HTTPClientError:
                [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .alreadyShutdown].contains(error)
            // Only before anything was sent: a connection that breaks off later may have brought it there.
            case NIOSSLError.handshakeFailed: true
            case let error as IOError: [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains(error.errnoCode)
            default: false
            }
        let what = "\(address): \(Self.reason(error, at: address))"
        self = isAway ? .away(what) : .doubt(what)
    }

    /// Whether a member took a request, and said nothing for as long as it may take.
    static func isSilence(_ error: any Error) -> Bool {
        if case RPCError.silence = error { return true }
        guard let error = error as? HTTPClientError else { return false }
        return [.deadlineExceeded, .readTimeout, .writeTimeout].contains(error)
    }

    /// Who does not accept whose certificate; `nil`: it is about something else.
    ///
    /// A member may refuse that of the client only once the client has sent its request, and carries out nothing of it.
    private static func distrust(_ error: any Error) -> (EtcdConcern, String)? {
        switch error {
        case NIOSSLError.noSuchFilesystemObject, NIOSSLError.failedToLoadCertificate:
            return (.authorities, "the certificates of the authorities can't be read")
        case is NIOSSLExtraError: return (.address, "its certificate is not for this address")
        case is NIOSSLError, is BoringSSLError: break
        default: return nil
        }
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return (.authorities, "its certificate is not signed by an authority that this machine trusts")
        }
        if text.contains("ALERT"), text.contains("CERTIFICATE") || text.contains("UNKNOWN_CA") {
            return (.certificate, "it does not accept the certificate that this machine shows, or that it shows none")
        }
        return nil
    }

    /// What happened, for people: the libraries say it in words of their own, and with places in their sources.
    private static func reason(_ error: any Error, at address: String) -> String {
        switch error {
        case let error as HTTPClientError: reason(error, at: address)
        case let error as NIOConnectionError: reason(error)
        case let error as IOError: error.errnoCode == ECONNRESET ? closed(at: address) : reason(error.errnoCode)
        case is HTTPParserError: "it does not speak as members do"
        case is any NIOHTTP2Error, RPCError.otherProtocol: otherProtocol
        case is ResponseAccumulator.ResponseTooBigError, RPCError.answerTooLarge: "its answer is too large"
        case RPCError.unconnected, ChannelError.connectTimeout: unconnected
        case RPCError.silence: silence
        case RPCError.ended: closed(at: address)
        case NIOSSLError.uncleanShutdown: closed(at: address)
        case is NIOSSLError, is BoringSSLError: "both could not agree on TLS"
        default: "the connection was lost"
        }
    }

    private static func reason(_ error: HTTPClientError, at address: String) -> String {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout: unconnected
        case .deadlineExceeded, .readTimeout, .writeTimeout: silence
        case .remoteConnectionClosed, .uncleanShutdown: closed(at: address)
        case .cancelled, .requestStreamCancelled, .alreadyShutdown: "nobody waits for its answer any more"
        default: "it does not speak as members do (\(error.shortDescription.lowercased()))"
        }
    }

    private static let otherProtocol = "it does not speak HTTP/2 as members do, or who stands before it does not"
    private static let unconnected = "there was no connection in time"
    private static let silence = "it did not answer in time"

    private static func reason(_ error: NIOConnectionError) -> String {
        let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        if let code = codes.first { return reason(code) }
        return error.connectionErrors.isEmpty ? "nobody knows where that is" : unconnected
    }

    private static func reason(_ code: CInt) -> String { String(cString: strerror(code)).lowercased() }

    /// Members that are asked without TLS, and want it, say nothing.
    private static func closed(at address: String) -> String {
        let isPlain = address.hasPrefix("http://")
        return "it closed the connection" + (isPlain ? ", as members do that want https:// in place of etcd://" : "")
    }
}
