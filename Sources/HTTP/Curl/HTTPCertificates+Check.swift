import CCurl
import Glibc

extension HTTPCertificates {
    /// Loads the files as a connection does, and returns what is wrong with them.
    ///
    /// Makes no network connection.
    ///
    /// curl loads some of them once it has a connection, and others with the first answer. It gets both from a Unix socket of this process:
    /// a firewall may keep TCP from it.
    public func check() -> HTTPError.Reason? {
        guard TransferThread.isLoaded else { return .missingLibrary }
        var name = [CChar](repeating: 0, count: 32)
        // The listener, and then the connection.
        var sockets = (ccurl_listen(&name, CInt(name.count)), CInt(-1))
        guard sockets.0 >= 0, let handle = ccurl_easy_init() else { return nil }
        defer {
            ccurl_easy_cleanup(handle)
            close(sockets.0)
            if sockets.1 >= 0 { close(sockets.1) }
        }
        ccurl_set_text(handle, CURLOPT_URL, "https://127.0.0.1/")
        ccurl_set_text(handle, CURLOPT_ABSTRACT_UNIX_SOCKET, name)
        ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, 5_000)
        ccurl_set_text(handle, CURLOPT_PROXY, "")
        ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_context(handle) { _, _, argument in
            guard let sockets = argument?.assumingMemoryBound(to: (CInt, CInt).self) else { return CURLE_ABORTED_BY_CALLBACK }
            sockets.pointee.1 = accept(sockets.pointee.0, nil, nil)
            shutdown(sockets.pointee.1, Int32(SHUT_WR))
            return CURLE_OK
        }
        set(on: handle)
        let code = withUnsafeMutablePointer(to: &sockets) { argument in
            ccurl_set_pointer(handle, CURLOPT_SSL_CTX_DATA, argument)
            return ccurl_easy_perform(handle)
        }
        return switch code {
        case CURLE_SSL_CACERT_BADFILE: .unusableAuthorities
        case CURLE_SSL_CERTPROBLEM: .unusableCertificate
        default: nil
        }
    }

    private static let systemAuthorities: String? = {
        let file = "/etc/ssl/certs/ca-certificates.crt"
        return access(file, R_OK) == 0 ? file : nil
    }()

    func set(on handle: UnsafeMutableRawPointer) {
        ccurl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if !verifiesServer {
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 0)
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 0)
        }
        // Those of a file are kept for the next connection, those of a directory are read for each.
        if let file = authorities ?? Self.systemAuthorities {
            ccurl_set_text(handle, CURLOPT_CAINFO, file)
            ccurl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        if let own {
            ccurl_set_text(handle, CURLOPT_SSLCERT, own.certificate)
            ccurl_set_text(handle, CURLOPT_SSLKEY, own.key)
        }
    }
}
