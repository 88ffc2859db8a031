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
        case (.starred, .staring): state[id] = Star(.star, starCount: min(star.starCount, Int64.exactMax - 1) + 1)
        case (.unstarred, .unstaring): state[id] = Star(.unstar, starCount: max(star.starCount, 1) - 1)
        case (.failed, .staring): state[id] = Star(.unstar, starCount: star.starCount)
        case (.failed, .unstaring): state[id] = Star(.star, starCount: star.starCount)
        default:
            // `press` is never logged, and no other action is a valid transition.
            break
        }
        return []
    }

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

    /// The diff of two states, with each changed button as a field of `items`; a button in its initial state has no old or new value.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        if old == new { return [] }
        let ids = ids(in: old, new).filter { old[$0] != new[$0] }
        guard ids.count <= limit else { return nil }
        return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { id in
            func part(_ state: State) -> Value? { state.contains(id) ? [id: state[id].value] : nil }
            return Change(path: "items", kind: .set, old: part(old), new: part(new))
        }
    }

    /// Reverts the change of each button; a button that was pressed since is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = RevertResult(present)
        for id in ids(in: after, before) where after[id] != before[id] && present[id] != before[id] {
            if present[id] != after[id] {
                reverted.conflicts.append(Conflict("items." + id, expected: after[id].value, found: present[id].value))
            }
            reverted.state[id] = before[id]
        }
        return reverted
    }

    /// The star and unstar requests; nothing else can change a button, and a button with a running request can't change.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        ids(in: present, wanted).compactMap { id in
            switch wanted[id].phase {
            case .star, .staring: star(id, in: present)
            case .unstar, .unstaring: unstar(id, in: present)
            }
        }
    }

    private static func ids(in left: State, _ right: State) -> [String] {
        left.entries.map(\.id) + right.entries.map(\.id).filter { !left.contains($0) }
    }

    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch end {
        case .failed(let reason): .failed(command.id, reason: reason)
        case .skipped: .failed(command.id, reason: "it was skipped")
        case .cancelled, .superseded: .failed(command.id, reason: "it was cancelled")
        // The request is still pending.
        case .parked: nil
        }
    }
}

extension Stars.Action {
    public var id: String {
        switch self {
        case .press(let id), .staring(let id), .unstaring(let id), .starred(let id), .unstarred(let id), .failed(let id, _): id
        }
    }
}

extension Stars.Command {
    public var id: String {
        switch self {
        case .star(let id), .unstar(let id): id
        }
    }

    /// The requests of one button run in order.
    public var policy: CommandPolicy { CommandPolicy(group: id) }

    /// A star has an effect outside the app.
    public var leavesTrace: Bool { true }
}
