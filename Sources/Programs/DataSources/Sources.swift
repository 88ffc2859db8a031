public import Chronicle
public import FeaturePosts
public import FeatureRepositories

/// The outside world of the app's commands, by default the bundled data, which needs no network.
public struct Sources: Sendable {
    public var todos: any TodoSource = BundledTodos()
    public var posts: any PostSource = BundledPosts()
    public var stars: any StarTarget = BundledStars()
    public var repositories: any RepositorySource = BundledRepositories()
    public var reminders: any ReminderTarget = ReminderProgram()
    public var clock = LocalClock.machine

    public init() {}
}

/// Where todos are loaded from.
public protocol TodoSource: Sendable {
    /// Returns the titles in the order of the list.
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String]
}

/// Where posts are fetched, page by page.
public protocol PostSource: Sendable {
    /// Returns a page, from 1; a page after the last is empty.
    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage
}

public struct PostPage: Sendable, Equatable {
    /// The posts in their order, without ids.
    public var posts: [Post]
    /// The number of the page that follows; 0 on the last page.
    public var nextPage: Int64

    public init(posts: [Post], nextPage: Int64) { (self.posts, self.nextPage) = (posts, nextPage) }
}

/// Where stars are kept.
public protocol StarTarget: Sendable {
    /// Adds or removes the star of an id; idempotent.
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure)
}

/// Where repositories are searched.
public protocol RepositorySource: Sendable {
    /// Returns the repositories of a language, most stars first.
    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository]
}
