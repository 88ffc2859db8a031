import Chronicle

/// The rules of the links. Their state and their actions are described in `Links.feature`.
extension Links {
    /// Decides what is logged for an action, or refuses it.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(let link):
            guard link.url.contains("://") else { throw refusal(.noWebAddress, "a web address begins with http:// or https://") }
            return [.add(Link(id: state.nextID, url: link.url, title: link.title))]
        case .rename(let id, _), .remove(let id):
            guard state.items.contains(id) else { throw refusal(.unknownID, "there is no link \(id)") }
        case .checked(let id, _) where !state.items.contains(id): return []
        case .checked, .restore: break
        }
        return [action]
    }

    /// Applies a logged action, and asks for the checks that follow from it.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .add(let link):
            state.append(link)
            return [.check(link.id, after: 0)]
        case .rename(let id, let title): state.items.update(id) { $0.title = title }
        case .remove(let id): state.items.remove(id)
        case .checked(let id, let status): state.items.update(id) { ($0.status, $0.checked) = (status, context.time) }
        case .restore(let patch):
            state.restore(patch)
            return patch.placed.map { .check($0.element.id, after: 0) }
        }
        return []
    }

    /// Says that a check got no answer, so that the next one follows.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        if case .check(let id, _) = command, end.reason != nil { .checked(id, status: 0) } else { nil }
    }

    /// The address to request: a command names its link by id, because only actions can be redacted.
    public static func input(for command: Command, in state: State) -> Value {
        if case .check(let id, _) = command, let link = state.items[id] { .text(link.url) } else { .null }
    }
}

extension Links.Command {
    /// A check has three attempts of ten seconds, and replaces one of the same link that is not done yet.
    public var policy: CommandPolicy {
        switch self {
        case .check(let id, let seconds):
            CommandPolicy(attemptsMax: 3, timeout: .seconds(10), delay: .seconds(seconds), cancelID: "\(id)")
        }
    }
}
