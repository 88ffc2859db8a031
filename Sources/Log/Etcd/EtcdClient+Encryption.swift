internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension EtcdClient {
    /// That a member is asked without TLS and speaks it, or the other way round, as an error that says so; `nil`: none, as far as anybody
    /// answers.
    ///
    /// Such a member closes a connection without a word, as one does that dies; so it is asked in the other way.
    @available(*, noasync, message: "it blocks the thread")
    public func mistakenAddress() -> EtcdError? {
        var settings = HTTPClient.Configuration.forMembers(options)
        // Nothing is told to whoever answers, so nobody need be trusted.
        settings.tlsConfiguration = .makeClientConfiguration()
        settings.tlsConfiguration?.certificateVerification = .none
        let http = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: settings)
        defer { http.shutdown { _ in } }
        let (own, other) = options.isEncrypted ? ("https", "http") : ("http", "https")
        for endpoint in options.endpoints where speaks(other, at: endpoint, http) {
            let words =
                options.isEncrypted
                ? "it does not speak TLS, and wants etcd:// in place of https://"
                : "it speaks TLS, and wants https:// in place of etcd://"
            return .untrusted(.address, "\(own)://\(endpoint): \(words)")
        }
        return nil
    }

    @available(*, noasync, message: "it blocks the thread")
    private func speaks(_ scheme: String, at endpoint: String, _ http: HTTPClient) -> Bool {
        let address = "\(scheme)://\(endpoint)"
        do {
            _ = try http.get(url: "\(address)/health", deadline: .now() + TimeAmount(options.requestTimeMax)).wait()
            return true
        } catch {
            // Who wants to see a certificate speaks TLS as well, and closes the connection once both have agreed on that.
            guard scheme == "https", !(error is IOError), error as? HTTPClientError != .deadlineExceeded else { return false }
            if case .away = EtcdError(during: error, at: address) { return false }
            return true
        }
    }
}
