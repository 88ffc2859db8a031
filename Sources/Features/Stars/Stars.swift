public import Fields

/// Star buttons, each a state machine: unstar, staring, star, unstaring, unstar.
///
/// Only these steps are taken, and on failure those back; so the count never goes below 0. An order that the button does not
/// follow, such as a press during a request, logs nothing and is no error.
public enum Stars: Feature {
    /// The step that gives a star: none where there is one, and none during a request.
    public static func star(_ id: String, in state: State) -> Action? {
        state[id].phase == .unstar ? .staring(id) : nil
    }

    /// The step that takes a star back: none where there is none, and none during a request.
    public static func unstar(_ id: String, in state: State) -> Action? {
        state[id].phase == .star ? .unstaring(id) : nil
    }

    /// Decides on the step that a button takes.
    ///
    /// Refusals: `InvalidID` (1 to 100 bytes are allowed), `TooManyStars`.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        let id = action.id
        guard Limits.allows(id: id) else {
            throw Refusal(
                "InvalidID", "the id has \(id.utf8.count) bytes, at least 1 and at most \(Limits.idBytesMax) are allowed")
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
            throw Refusal("TooManyStars", "there are \(state.entries.count) stars, at most \(Limits.starsMax) are allowed")
        }
        return [step]
    }

    /// Takes a step where it is one; anything else changes nothing and asks for nothing.
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
            // `press` is never logged; everything else is no step from here.
            break
        }
        return []
    }

    /// What a screen shows: for each button what it looks like, its count, and whether it can be pressed.
    public static func viewParts(of state: State) -> ViewParts {
        let rows = state.entries.map { entry -> Value in
            [
                "id": .text(entry.id), "phase": .text(entry.star.phase.name), "starCount": .int(entry.star.starCount),
                "enabled": .bool(!entry.star.phase.isTransition),
            ]
        }
        return ViewParts(["rows": .list(rows)])
    }

    /// The largest of everything.
    public enum Limits {
        /// UTF-8 bytes of an id; it has at least one.
        public static let idBytesMax = 100
        /// Star buttons that don't stand as they began.
        public static let starsMax = 1_000
        /// UTF-8 bytes of a reason; what is longer is cut.
        public static let reasonBytesMax = 4096

        static func allows(id: String) -> Bool { (1...idBytesMax).contains(id.utf8.count) }
    }
}
