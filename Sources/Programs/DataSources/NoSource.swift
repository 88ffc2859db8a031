import FeaturePosts
import FeatureRepositories
import Reducing

/// In place of a source that nobody has thought of: it says so.
struct NoSource: TodoSource, PostSource, StarTarget, RepositorySource, ReminderTarget {
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] { throw missing("todos") }

    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage { throw missing("posts") }

    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) { throw missing("stars") }

    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository] {
        throw missing("repositories")
    }

    func languages(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] { throw missing("repositories") }

    func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) { throw missing("reminders") }

    private func missing(_ name: String) -> CommandFailure {
        CommandFailure("There is no source of \(name).", isPermanent: true)
    }
}
