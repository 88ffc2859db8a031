public import Fields

/// Where a todo that was imported comes from, so that it is known again, and what its source says of it is given back.
public struct TodoOrigin: Fielded {
    /// The kind of the source, and what that calls the todo, such as `taskwarrior:f0b1b1a0-…`.
    @Exact public var source = ""
    /// What the source says of it that means nothing here.
    public var attributes: [OriginAttribute] = []
    /// What of the todo came from the source, such as `due:2026-12-01` and `tag:work`: nothing else is its to take away.
    @Exact public var said: [String] = []

    /// Makes an origin.
    public init(source: String, attributes: [OriginAttribute] = [], said: [String] = []) {
        self.source = source
        self.attributes = attributes
        self.said = said
    }

    /// That of a todo which was not imported.
    public init() { self.init(source: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "source", &source)
        try visitor.field(2, "attributes", &attributes)
        try visitor.field(3, "said", &said)
    }

    /// Whether there is none; most todos have none, so nothing is encoded to know it.
    public var isInitial: Bool { source.utf8.isEmpty && attributes.isEmpty && said.isEmpty }

    /// As a message, unless there is none.
    public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter) {
        if !isInitial { write(number, into: &writer) }
    }
}

/// A name and what stands under it, as the source of a todo writes them.
public struct OriginAttribute: Fielded {
    /// The name.
    @Exact public var name = ""
    /// What stands there.
    @Exact public var text = ""

    /// Makes an attribute.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// Makes one without a name.
    public init() { self.init("", "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "name", &name, .required)
        try visitor.field(2, "text", &text, .required)
    }
}
