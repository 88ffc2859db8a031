import Varlink

/// One reply of a Varlink server.
struct Answer: Equatable {
    var parameters: [JSON.Member] = []
    /// Whether more replies to the same call follow.
    var continues = false
    var error: String?
}
