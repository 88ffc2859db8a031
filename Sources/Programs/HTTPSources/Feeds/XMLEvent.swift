enum XMLEvent: Sendable, Equatable {
    case start(XMLName, attributes: [XMLName: String])
    case end
    /// Text. A long text comes in several events.
    case text(String)
}

struct XMLName: Sendable, Hashable {
    /// The namespace URI; empty without a namespace.
    var space: String
    /// The local name.
    var local: String

    init(_ local: String, in space: String = "") { (self.local, self.space) = (local, space) }
}
