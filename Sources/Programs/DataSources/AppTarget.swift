public import Chronicle
public import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos

/// Executes the app's commands: calls the right source and returns its answer as an event.
public struct AppTarget: CommandTarget {
    public typealias Command = App.Command
    public typealias Action = App.Action

    private let sources: Sources
    /// Maximum time between two readings of the clock, so that a change of the clock or the zone is noticed.
    private static let clockIntervalMax = Duration.seconds(3_600)

    public init(_ sources: Sources) { self.sources = sources }

    /// The time until a reminder is due on the machine's clock, at most until the clock is read again.
    public func wait(before command: Command) -> Duration {
        guard case .todos(.remind(_, let time?, _)) = command else { return .zero }
        return min(max(.zero, .microseconds(sources.clock.microseconds(until: time))), Self.clockIntervalMax)
    }

    public func perform(_ command: Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Action? {
        switch command {
        case .todos(let command): try await perform(command, ticket).map(App.Action.todos)
        case .posts(let command): .posts(try await perform(command, ticket))
        case .stars(let command): .stars(try await perform(command, ticket))
        case .repositories(let command): try await perform(command, ticket).map(App.Action.repositories)
        case .flows(.timeOut(let id, _)): .flows(.timedOut(id))
        case .flows(.keep): nil
        }
    }

    private func perform(_ command: Todos.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Todos.Action? {
        switch command {
        case .load: return .loaded(try await sources.todos.titles(ticket).map { Todo(title: $0) })
        case .remind(let id, let time, _):
            let rest = wait(before: .todos(command))
            if rest > .zero { throw .later(rest) }
            if let title = ticket.input["title"]?.text {
                let due = ticket.input["due"]?.text ?? ""
                try await sources.reminders.remind(Reminder(id: id, title: title, due: due), ticket)
            }
            return .reminded(id, of: time)
        case .forget: return nil
        }
    }

    private func perform(_ command: Posts.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Posts.Action {
        switch command {
        case .fetch(let number, let destination):
            let page = try await sources.posts.page(number, ticket)
            switch destination {
            case .set: return .set(page.posts, nextPage: page.nextPage)
            case .append: return .append(page.posts, nextPage: page.nextPage)
            }
        }
    }

    private func perform(_ command: Stars.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Stars.Action {
        switch command {
        case .star(let id):
            try await sources.stars.set(id, starred: true, ticket)
            return .starred(id)
        case .unstar(let id):
            try await sources.stars.set(id, starred: false, ticket)
            return .unstarred(id)
        }
    }

    private func perform(
        _ command: Repositories.Command, _ ticket: CommandTicket
    ) async throws(CommandFailure) -> Repositories.Action? {
        switch command {
        case .fetch(let language):
            .loaded(language: language, try await sources.repositories.mostStarred(language, ticket))
        case .languages:
            .languagesLoaded(Repositories.State.initialLanguages)
        case .show, .cancelLanguages:
            nil
        }
    }
}
