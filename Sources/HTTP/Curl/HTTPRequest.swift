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
    /// Numeric address to connect to.
    ///
    /// The URL's host is not looked up; it still appears in `Host` and must match the certificate.
    public var address: String?
    /// Whether the connection is kept for another request.
    public var keepsConnection = true

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
    public var verifiesServer: Bool

    public init(
        authorities: String? = nil, own: (certificate: String, key: String)? = nil, verifiesServer: Bool = true
    ) {
        (self.authorities, self.own, self.verifiesServer) = (authorities, own, verifiesServer)
    }
}
