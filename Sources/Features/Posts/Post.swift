import Reducing

/// An entry of a feed.
public struct Post: Sendable {
    /// Its id, a small whole number from 1, the same for as long as the post is in the list; 0 before it is handed out.
    public var id: UInt64
    /// What its feed tells it from the others by; unique in the list.
    public var key: String
    /// Its headline.
    public var title: String
    /// Where it can be read; empty if that is not known.
    public var link: String
    /// What it is about; often empty.
    public var summary: String
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
}

extension Post: Identifiable {}

extension Post: Equatable {
    /// Compares everything, texts by their bytes.
    public static func == (left: Post, right: Post) -> Bool {
        left.id == right.id && left.published == right.published && left.key.hasSameBytes(as: right.key)
            && left.title.hasSameBytes(as: right.title) && left.link.hasSameBytes(as: right.link)
            && left.summary.hasSameBytes(as: right.summary)
    }
}
