internal import Curl
internal import Glibc

extension EtcdError {
    /// What it means that a request ended without an answer.
    ///
    /// - Parameter address: that of the member, with how it is asked: `https://host:port`.
    init(during error: HTTPError, at address: String) {
        let distrust: (EtcdConcern, String)? =
            switch error.reason {
            case .untrustedServer: (.authorities, "its certificate is not signed by an authority that this machine trusts")
            case .wrongServerName: (.address, "its certificate is not for this address")
            case .unusableAuthorities: (.authorities, "the certificates of the authorities can't be read")
            case .unusableCertificate: (.certificate, "the certificate of this machine, or its key, can't be used")
            // A member may refuse it only once the client has sent its request, and carries out nothing of it.
            case .certificateRefused:
                (.certificate, "it does not accept the certificate that this machine shows, or that it shows none")
            default: nil
            }
        if let (concern, what) = distrust {
            self = .untrusted(concern, "\(address): \(what)")
            return
        }
        let what = "\(address): \(Self.words(for: error.reason, at: address))"
        self = error.mayHaveBeenSent ? .doubt(what) : .away(what)
    }

    private static func words(for reason: HTTPError.Reason, at address: String) -> String {
        switch reason {
        case .unknownHost: "nobody knows where that is"
        case .unreachable(let code) where code != 0: String(cString: strerror(code)).lowercased()
        case .unreachable, .connectTimeout, .forbidden: "there was no connection in time"
        case .timeout: "it did not answer in time"
        case .closed:
            // Members that are asked without TLS, and want it, say nothing.
            "it closed the connection"
                + (address.hasPrefix("http://") ? ", as members do that want https:// in place of etcd://" : "")
        case .bodyTooLarge: "its answer is too large"
        case .cancelled, .stopped: "nobody waits for its answer any more"
        case .untrustedServer, .wrongServerName, .unusableAuthorities, .unusableCertificate, .certificateRefused, .tls:
            "both could not agree on TLS"
        case .missingLibrary: "libcurl is not installed"
        case .notHTTP, .other: "it does not speak as members do"
        }
    }
}
