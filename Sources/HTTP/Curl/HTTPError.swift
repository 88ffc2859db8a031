import CCurl
import Glibc

/// Why a request has no complete response.
public struct HTTPError: Error, Equatable {
    public enum Reason: Sendable, Equatable {
        case unknownHost
        /// No connection; the value is an `errno`, or 0 if the system gave none.
        case unreachable(CInt)
        case connectTimeout
        /// The request permits no address of the host.
        case forbidden
        /// Nothing was sent or received for too long, or the response was not complete in time.
        case timeout
        /// The peer closed the connection before the response was complete.
        case closed
        case notHTTP
        case bodyTooLarge
        /// No trusted authority signed the server's certificate.
        case untrustedServer
        /// The server's certificate is for another name.
        case wrongServerName
        /// The file of trusted authorities cannot be read.
        case unusableAuthorities
        /// The client's certificate or its key cannot be read, or they do not belong together.
        case unusableCertificate
        /// The server requires a client certificate, or refuses the one that was shown.
        case certificateRefused
        case tls
        case cancelled
        /// The client was stopped.
        case stopped
        /// libcurl is not installed.
        case missingLibrary
        /// Any other error of curl, by its code.
        case other(UInt32)
    }

    public var reason: Reason
    /// Whether part of the request may have been sent.
    ///
    /// If not, the server has not executed it and never will.
    public var mayHaveBeenSent: Bool

    public init(_ reason: Reason, mayHaveBeenSent: Bool) {
        (self.reason, self.mayHaveBeenSent) = (reason, mayHaveBeenSent)
    }
}

extension HTTPError.Reason {
    /// The reason in fixed words: curl's own messages may contain what was sent.
    public var words: String {
        switch self {
        case .unknownHost: "unknown host"
        case .unreachable(let code) where code != 0: String(cString: strerror(code)).lowercased()
        case .unreachable, .connectTimeout, .forbidden: "there was no connection in time"
        case .timeout: "it did not answer in time"
        case .closed: "it closed the connection"
        case .bodyTooLarge: "its answer is too large"
        case .cancelled, .stopped: "the request was cancelled"
        case .untrustedServer, .wrongServerName, .unusableAuthorities, .unusableCertificate, .certificateRefused, .tls:
            "the TLS handshake failed"
        case .missingLibrary: "libcurl is not installed"
        case .notHTTP, .other: "its answer is not HTTP"
        }
    }

    /// - Parameters:
    ///   - systemError: `errno` of the failed connection.
    ///   - verification: OpenSSL's verdict on the server's certificate.
    ///   - alert: the TLS alert that the server sent.
    init(_ code: CURLcode, systemError: CInt, verification: Int, alert: Int?) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
            case CURLE_COULDNT_CONNECT: .unreachable(systemError)
            case CURLE_OPERATION_TIMEDOUT: .connectTimeout
            // curl compares the name itself and leaves the verdict unspecified (1) then.
            case CURLE_PEER_FAILED_VERIFICATION: verification > 1 ? .untrustedServer : .wrongServerName
            case CURLE_SSL_CACERT_BADFILE: .unusableAuthorities
            case CURLE_SSL_CERTPROBLEM: .unusableCertificate
            case _ where alert.map(Self.certificateAlerts.contains) == true: .certificateRefused
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .tls
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND: .closed
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING: .notHTTP
            default: .other(code.rawValue)
            }
    }

    /// RFC 8446, 6.2: bad, unsupported, revoked, expired and unknown certificate, unknown authority, access denied, certificate required.
    private static let certificateAlerts: Set<Int> = [42, 43, 44, 45, 46, 48, 49, 116]

    /// The TLS alert in an error message of OpenSSL, which contains its error number: `error:0A000412:...`.
    static func alert(in message: String) -> Int? {
        let parts = message.split(separator: ":", omittingEmptySubsequences: false)
        guard let at = parts.firstIndex(where: { $0.hasSuffix("error") }), at + 1 < parts.endIndex,
            let number = UInt32(parts[at + 1], radix: 16), number >> 23 == 20
        else { return nil }
        let reason = Int(number & 0x7F_FFFF)
        return (1_000..<1_256).contains(reason) ? reason - 1_000 : nil
    }
}
