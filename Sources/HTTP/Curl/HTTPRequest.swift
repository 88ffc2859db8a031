/// An HTTP request, and the limits for its response.
public struct HTTPRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    public var method: Method
    /// An `http` or `https` URL, which is sent as it is.
    public var url: String
    /// Nothing is added but `Host` and the length of the body.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    public var timeouts: HTTPTimeouts
    /// Maximum number of bytes of the response body.
    public var bodyBytesMax: Int
    public var certificates = HTTPCertificates()
    /// Decides on each numeric address of the host before a socket is opened; `nil`: all are permitted.
    ///
    /// Called on the transfer thread. A request with this closure has a connection of its own, because a kept one might lead
    /// to an address that the closure would refuse.
    public var permits: (@Sendable (_ address: String) -> Bool)?

    public init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeouts: HTTPTimeouts, bodyBytesMax: Int
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.timeouts, self.bodyBytesMax) = (timeouts, bodyBytesMax)
    }
}

/// How long a request may take.
public struct HTTPTimeouts: Sendable, Equatable {
    /// Until the request can be sent: name lookup, connection and TLS handshake.
    public var connect: Duration
    /// Without a byte sent or received; `nil`: unlimited.
    ///
    /// The time in which the caller does not read is not counted.
    public var silence: Duration?
    /// Until the last byte of the response; `nil`: unlimited.
    public var total: Duration?

    public init(connect: Duration, silence: Duration? = nil, total: Duration? = nil) {
        (self.connect, self.silence, self.total) = (connect, silence, total)
    }
}

/// The PEM files that TLS uses.
public struct HTTPCertificates: Sendable {
    /// Trusted authorities; `nil`: those of the system.
    public var authorities: String?
    /// The client's certificate and its key; `nil`: none.
    public var own: (certificate: String, key: String)?
    /// Whether the server's certificate is verified.
    public var verifiesServer = true

    public init(authorities: String? = nil, own: (certificate: String, key: String)? = nil) {
        (self.authorities, self.own) = (authorities, own)
    }
}
