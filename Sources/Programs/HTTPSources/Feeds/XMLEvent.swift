/// The next part of a document.
enum XMLEvent: Sendable, Equatable {
    /// An element begins.
    case start(XMLName, attributes: [XMLName: String])
    /// The innermost element ends.
    case end
    /// Text or a part of it: long text comes in several events.
    case text(String)
}

/// The name of an element or an attribute.
struct XMLName: Sendable, Hashable {
    /// The URI of its name space; empty without one.
    var space: String
    /// The name without its prefix.
    var local: String

    init(_ local: String, in space: String = "") { (self.local, self.space) = (local, space) }
}
