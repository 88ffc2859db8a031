import Curl

/// One call to a server on the web.
struct WebRequest: Sendable {
    var method = HTTPRequest.Method.get
    var address: WebAddress
    /// The configured address by which this one was found.
    ///
    /// It decides which networks the call may reach, see ``WebClient``.
    var configured: WebAddress
    var headers: [(name: String, value: String)] = []
    /// Sent to the origin of `address` alone, never to one that it redirects to.
    var token: Token?
    /// The setting that a failure names.
    var setting: String
    /// Maximum number of bytes of the body, if lower than that of the client.
    var bodyBytesMax = Int.max

    init(_ address: WebAddress, setting: String) {
        self.address = address
        configured = address
        self.setting = setting
    }
}
