public import Chronicle
public import FeaturePosts
public import FeatureRepositories

/// The external systems that commands call; by default this is the bundled data, which needs no network.
public struct Sources: Sendable {
    public var todos: any TodoSource = BundledTodos()
    public var posts: any PostSource = BundledPosts()
    public var stars: any StarTarget = BundledStars()
    public var repositories: any RepositorySource = BundledRepositories()
    public var reminders: any ReminderTarget = ReminderProgram()
    public var clock = LocalClock.machine

    public init() {}
}

public protocol TodoSource: Sendable {
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String]
}

public protocol PostSource: Sendable {
    /// Returns a page, counted from 1. A page after the last is empty.
    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage
}

public struct PostPage: Sendable, Equatable {
    public var posts: [Post]
    /// The number of the next page; 0 on the last page.
    public var nextPage: Int64

    public init(posts: [Post], nextPage: Int64) { (self.posts, self.nextPage) = (posts, nextPage) }
}

public protocol StarTarget: Sendable {
    /// Adds or removes a star; idempotent.
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure)
}

public protocol RepositorySource: Sendable {
    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository]
}
