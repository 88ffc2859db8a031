import PersistentCollections
public import Reducing

/// The posts of a feed, page by page.
///
/// The posts are an ordered set: no two have the same key, by its bytes. The latest request wins.
public enum Posts: Feature {
    /// The fields of the state; their bits stand in `Field`.
    public static let scopes = ["items", "nextPage", "loading", "nextID"]

    enum Field {
        static let items = ScopeSet(index: 0)
        static let nextPage = ScopeSet(index: 1)
        static let loading = ScopeSet(index: 2)
        static let nextID = ScopeSet(index: 3)
    }

    /// Facts for what fetching brought.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .set, .append, .failed, .restore: .fact
        case .fetch, .more, .add: .order
        }
    }

    /// That nothing was fetched; of a request whose place a later one took, or that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch end {
        case .failed(let reason): .failed(reason)
        case .skipped: .failed("it was skipped")
        case .cancelled: .failed("it was cancelled")
        // Fetching goes on: by the later command, or when the person has decided.
        case .superseded, .parked: nil
        }
    }

    /// The next id is no less than the other's.
    public static func reserveIDs(of other: State, in state: inout State) { state.nextID = max(state.nextID, other.nextID) }

    /// A post of the list; what a person who names it is refused with: `UnknownID`.
    public static func post(_ id: UInt64, in state: State) throws(Refusal) -> Post {
        guard let post = state.items[id] else { throw Refusal("UnknownID", "there is no post \(id)") }
        return post
    }

    /// Applies a logged action; what doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .fetch:
            state.loading = true
            return [.fetch(page: 1, into: .set)]

        case .more:
            guard state.nextPage > 0 else { return [] }
            state.loading = true
            return [.fetch(page: state.nextPage, into: .append)]

        case .set(let posts, let nextPage):
            state.replaceAll(with: posts)
            state.setNextPage(nextPage)
            state.loading = false

        case .append(let posts, let nextPage):
            state.append(posts)
            state.setNextPage(nextPage)
            state.loading = false

        case .failed:
            state.loading = false

        case .restore(let patch, let nextPage):
            state.apply(patch)
            state.setNextPage(nextPage)

        case .add:
            // Never logged: it is about a todo.
            break
        }
        return []
    }
}
