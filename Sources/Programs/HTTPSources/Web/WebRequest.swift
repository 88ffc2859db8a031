import Curl

/// One call to a server on the web.
struct WebRequest: Sendable {
    var method = HTTPRequest.Method.get
    var address: WebAddress
    /// The address that a person configured, and by which this one was found; what lies on this machine or in a network of its own
    /// is called only if this one does.
    var configured: WebAddress
    /// Names and values; what everybody sends is added.
    var headers: [(name: String, value: String)] = []
    /// Sent to the address itself, never to one that it redirects to.
    var token: Token?
    /// The setting that a person looks at when the call fails.
    var setting: String
    /// A shorter limit for this call's answer than for others.
    var bodyBytesMax = Int.max

    init(_ address: WebAddress, setting: String) {
        self.address = address
        configured = address
        self.setting = setting
    }
}
