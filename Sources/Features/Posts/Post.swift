public import Fields

/// An entry of a feed.
public struct Post: FieldedRow {
    /// Its id, a small whole number from 1, the same for as long as the post is in the list; 0 before it is handed out.
    public var id: UInt64
    /// What its feed tells it from the others by; unique in the list.
    @Exact public var key: String
    /// Its headline.
    @Exact public var title: String
    /// Where it can be read; empty if that is not known.
    @Exact public var link: String
    /// What it is about; often empty.
    @Exact public var summary: String
    /// When it was published, in microseconds since 1970; 0 if that is not known.
    public var published: Int64

    /// Makes a post.
    public init(
        id: UInt64 = 0, key: String, title: String, link: String = "", summary: String = "", published: Int64 = 0
    ) {
        self.id = id
        self.key = key
        self.title = title
        self.link = link
        self.summary = summary
        self.published = published
    }

    /// Makes one without an id, a key and a title.
    public init() { self.init(key: "", title: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id)
        try visitor.field(2, "key", &key, .required)
        try visitor.field(3, "title", &title, .required)
        try visitor.field(4, "link", &link)
        try visitor.field(5, "summary", &summary)
        try visitor.field(6, "published", &published)
    }
}
