public import FeaturePosts
public import Reducing

/// Where posts are fetched, page by page.
public protocol PostSource: Sendable {
    /// A page, from 1; one behind the last is empty.
    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage
}

/// A page of posts as its source gives it.
public struct PostPage: Sendable, Equatable {
    /// The posts in their order, without ids.
    public var posts: [Post]
    /// The number of the page that follows; 0 if there is none.
    public var nextPage: Int64

    public init(posts: [Post], nextPage: Int64) {
        self.posts = posts
        self.nextPage = nextPage
    }
}
