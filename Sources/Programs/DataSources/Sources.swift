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
    /// Who reminds of todos.
    public var reminders: any ReminderTarget
    /// When that is.
    public var clock: LocalClock

    /// Puts sources together.
    public init(
        todos: any TodoSource, posts: any PostSource, stars: any StarTarget, repositories: any RepositorySource,
        reminders: any ReminderTarget = ReminderProgram(), clock: LocalClock = .machine
    ) {
        self.todos = todos
        self.posts = posts
        self.stars = stars
        self.repositories = repositories
        self.reminders = reminders
        self.clock = clock
    }

    /// What comes with the program: nothing is asked of a network, and everything takes its time.
    public static var bundled: Sources {
        Sources(todos: BundledTodos(), posts: BundledPosts(), stars: BundledStars(), repositories: BundledRepositories())
    }

    /// What comes with the program, at once: for a look at the features without waiting.
    public static var preview: Sources {
        Sources(
            todos: BundledTodos(delay: .zero), posts: BundledPosts(delay: .zero), stars: BundledStars(delay: .zero),
            repositories: BundledRepositories(delay: .zero))
    }

    /// Nothing: every source fails until a test has put its own in its place.
    public static var test: Sources {
        Sources(todos: NoSource(), posts: NoSource(), stars: NoSource(), repositories: NoSource(), reminders: NoSource())
    }
}
