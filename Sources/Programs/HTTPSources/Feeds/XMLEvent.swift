/// What stands next in a document.
enum XMLEvent: Sendable, Equatable {
    /// An element begins.
    case start(XMLName, attributes: [(name: XMLName, value: String)])
    /// The innermost element ends.
    case end
    /// Text, or a part of it: a long one comes in several.
    case text(String)

    static func == (left: XMLEvent, right: XMLEvent) -> Bool {
        switch (left, right) {
        case (.start(let name, let attributes), .start(let other, let others)):
            name == other && attributes.elementsEqual(others) { $0 == $1 }
        case (.end, .end): true
        case (.text(let text), .text(let other)): text == other
        default: false
        }
    }
}

/// The name of an element or an attribute.
struct XMLName: Sendable, Equatable {
    /// The address that its prefix stands for; empty without one.
    var space = ""
    /// What stands behind the colon.
    var local: String

    init(_ local: String, in space: String = "") {
        self.local = local
        self.space = space
    }
}
