/// What commands need of the world.
public struct Sources: Sendable {
    /// Where todos are loaded from.
    public var todos: any TodoSource
    /// Where posts are fetched.
    public var posts: any PostSource
    /// Where stars are kept.
    public var stars: any StarTarget
    /// Who knows the repositories.
    public var repositories: any RepositorySource

    /// Puts sources together.
    public init(
        todos: any TodoSource, posts: any PostSource, stars: any StarTarget, repositories: any RepositorySource
    ) {
        self.todos = todos
        self.posts = posts
        self.stars = stars
        self.repositories = repositories
    }

    /// What comes with the program: nothing is asked of a network, and everything takes its time on a clock.
    public static func bundled(clock: any Clock<Duration> = ContinuousClock()) -> Sources {
        Sources(
            todos: BundledTodos(clock: clock), posts: BundledPosts(clock: clock), stars: BundledStars(clock: clock),
            repositories: BundledRepositories(clock: clock))
    }

    /// What comes with the program, at once: for a look at the features without waiting.
    public static var preview: Sources {
        let clock = ContinuousClock()
        return Sources(
            todos: BundledTodos(clock: clock, delay: .zero), posts: BundledPosts(clock: clock, delay: .zero),
            stars: BundledStars(clock: clock, delay: .zero), repositories: BundledRepositories(clock: clock, delay: .zero))
    }

    /// Nothing: every source fails until a test has put its own in its place.
    public static var test: Sources {
        Sources(todos: NoSource(), posts: NoSource(), stars: NoSource(), repositories: NoSource())
    }
}
