import Chronicle

extension LinkApp {
    /// Asks for the next check of a link when one has ended, and of all links when the interval has changed.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        let commands = reduceChild(&state, action, context)
        let ids: [UInt64] =
            switch action {
            case .links(.checked(let id, _)): [id]
            case .links: []
            case .settings: state.links.items.elements.map(\.id)
            }
        let interval = state.settings.interval
        return interval == 0 ? commands : commands + ids.map { .links(.check($0, after: interval)) }
    }
}

extension Settings {
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard case .setInterval(seconds: 0...604_800) = action else {
            throw refusal(.intervalTooLong, "the interval is at most a week, 604800 seconds")
        }
        return [action]
    }

    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        if case .setInterval(let seconds) = action { state.interval = seconds }
        return []
    }

    public static func compensatingActions(from now: State, to old: State) -> [Action] { [.setInterval(seconds: old.interval)] }
}
