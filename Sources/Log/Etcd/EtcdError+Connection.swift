internal import Curl

extension EtcdError {
    /// Classifies a request that ended without an answer.
    ///
    /// - Parameter address: the member's URL: `https://host:port`.
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
        // A member that requires TLS closes a connection without it.
        let hint =
            error.reason == .closed && address.hasPrefix("http://")
            ? ", as members do that want https:// in place of etcd://" : ""
        let what = "\(address): \(error.reason.words)\(hint)"
        self = error.mayHaveBeenSent ? .doubt(what) : .away(what)
    }
}
