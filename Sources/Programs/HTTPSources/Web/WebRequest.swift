import Curl

struct WebRequest: Sendable {
    var method = HTTPRequest.Method.get
    var address: WebAddress
    /// The configured address that led to this one.
    ///
    /// It decides which networks the call may reach, see ``WebClient``.
    var configured: WebAddress
    var headers: [(name: String, value: String)] = []
    /// Sent only to the origin of `address`, never to a redirect target.
    var token: Token?
    /// The setting that failures name.
    var setting: String
    /// Maximum size of the body, if lower than the client's.
    var bodyBytesMax = Int.max

    init(_ address: WebAddress, setting: String) {
        self.address = address
        configured = address
        self.setting = setting
    }
}
