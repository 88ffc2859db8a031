public import Chronicle

extension Stars {
    /// Returns the action that adds a star; nil if there is one already or a request is running.
    public static func star(_ id: String, in state: State) -> Action? { state[id].phase == .unstar ? .staring(id) : nil }

    /// Returns the action that removes a star; nil without a star or while a request is running.
    public static func unstar(_ id: String, in state: State) -> Action? { state[id].phase == .star ? .unstaring(id) : nil }

    /// Decides the transition of a button; refuses with `InvalidID` (1 to 100 bytes are allowed) or `TooManyStars`.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        let id = action.id
        guard Limits.allows(id: id) else {
            throw refusal(
                .invalidID, "the id has \(id.utf8.count) bytes, at least 1 and at most \(Limits.idBytesMax) are allowed")
        }
        let step: Action? =
            switch action {
            case .press: star(id, in: state) ?? unstar(id, in: state)
            case .staring: star(id, in: state)
            case .unstaring: unstar(id, in: state)
            case .starred: state[id].phase == .staring ? action : nil
            case .unstarred: state[id].phase == .unstaring ? action : nil
            case .failed(_, let reason):
                state[id].phase.isTransition ? .failed(id, reason: reason.prefix(bytesMax: Limits.reasonBytesMax)) : nil
            }
        guard let step else { return [] }
        guard state.entries.count < Limits.starsMax || state.contains(id) else {
            throw refusal(.tooManyStars, "there are \(state.entries.count) stars, at most \(Limits.starsMax) are allowed")
        }
        return [step]
    }

    /// Applies a valid transition; any other action changes nothing and returns no command.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        let id = action.id
        guard Limits.allows(id: id) else { return [] }
        let star = state[id]
        switch (action, star.phase) {
        case (.staring, .unstar):
            state[id] = Star(.staring, starCount: star.starCount)
            return [.star(id)]

        case (.unstaring, .star):
            state[id] = Star(.unstaring, starCount: star.starCount)
            return [.unstar(id)]

        case (.starred, .staring):
            state[id] = Star(.star, starCount: min(star.starCount, Int64.exactMax - 1) + 1)

        case (.unstarred, .unstaring):
            state[id] = Star(.unstar, starCount: max(star.starCount, 1) - 1)

        case (.failed, .staring):
            state[id] = Star(.unstar, starCount: star.starCount)

        case (.failed, .unstaring):
            state[id] = Star(.star, starCount: star.starCount)

        default:
            // `press` is never logged, and no other action is a valid transition.
            break
        }
        return []
    }

    /// The phase and the count of each button, and whether it is enabled.
    public static func viewParts(of state: State) -> ViewParts {
        let rows = state.entries.map { entry -> Value in
            [
                "id": .text(entry.id), "phase": .text(entry.star.phase.name), "starCount": .int(entry.star.starCount),
                "enabled": .bool(!entry.star.phase.isTransition),
            ]
        }
        return ViewParts(["rows": .list(rows)])
    }

    enum Limits {
        static let idBytesMax = 100
        static let starsMax = 1_000
        static let reasonBytesMax = 4096

        static func allows(id: String) -> Bool { (1...idBytesMax).contains(id.utf8.count) }
    }
}
