public import Fields

/// A question that stands until somebody answers or cancels it, whoever that is and however often the daemon is restarted.
public struct Flow: FieldedRow {
    /// Its id, a small whole number from 1 that is never used again.
    public var id: UInt64
    /// What it is about: `language`.
    @Exact public var kind: String
    /// The id of the flow that waits for this one's result; 0 if none does.
    public var parent: UInt64
    /// The answers that there are to choose from; empty if it takes any text.
    @Exact public var options: [String]
    /// What the flow that started it has passed to it; empty if nothing.
    @Exact public var input: String
    /// When it ends by itself if nobody has answered, in microseconds since 1970; 0: never.
    public var deadline: Int64

    /// Makes a flow.
    public init(id: UInt64, kind: String, parent: UInt64 = 0, options: [String] = [], input: String = "", deadline: Int64 = 0) {
        self.id = id
        self.kind = kind
        self.parent = parent
        self.options = options
        self.input = input
        self.deadline = deadline
    }

    /// Makes one without an id and a kind.
    public init() { self.init(id: 0, kind: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id, .needed)
        try visitor.field(2, "kind", &kind, .required)
        try visitor.field(3, "parent", &parent)
        try visitor.field(4, "options", &options)
        try visitor.field(5, "input", &input)
        try visitor.field(6, "deadline", &deadline)
    }
}
