public import Fields

/// What a person should know, each until it is dismissed: so it survives a reconnect and shows once.
///
/// Other features know nothing of alerts; the app raises one for every fact that says that something failed.
public enum Alerts: Feature {
    /// There are no commands.
    public typealias Command = Never

    /// The bits of the fields of the state.
    private enum Field {
        static let items = ScopeSet(index: 0)
        static let nextID = ScopeSet(index: 1)
    }

    /// Gives an alert its id, and cuts a text that is too long.
    ///
    /// Refusals: `UnknownID`, `FieldNotAllowed` (an id that only the daemon gives), `IDsExhausted`.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .raise(let text, let id):
            guard id == 0 else { throw Refusal("FieldNotAllowed", "an alert gets its id when it is raised; leave it out") }
            guard Limits.ids.contains(state.nextID) else {
                throw Refusal("IDsExhausted", "there are no ids left for one more alert")
            }
            return [.raise(text.prefix(bytesMax: Limits.textBytesMax), id: state.nextID)]

        case .dismiss(let id):
            guard state.items.contains(id) else { throw Refusal("UnknownID", "there is no alert \(id)") }
            return [action]

        case .dismissAll:
            return state.items.isEmpty ? [] : [action]

        case .restore:
            return [action]
        }
    }

    /// Applies a logged action; what doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .raise(let text, let id):
            state.append(Alert(id: id, text: text))
        case .dismiss(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
        case .dismissAll:
            state.items = OrderedTable()
        case .restore(let patch):
            state.apply(patch)
        }
        return []
    }

    /// A fact for an alert that is raised: it tells of something that happened; and for what takes something back.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .raise, .restore: .fact
        case .dismiss, .dismissAll: .order
        }
    }

    /// The id of the alert that was raised.
    public static func created(by action: Action) -> [UInt64] {
        if case .raise(_, let id) = action { [id] } else { [] }
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .raise, .restore: [Field.items, Field.nextID]
        case .dismiss, .dismissAll: Field.items
        }
    }

    /// What a screen shows: how many alerts there are, and each with its text, the newest last.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(["count": .int(Int64(state.items.count))], lists: [ViewList(state.items, at: "rows") { $0.value }])
    }

    /// Takes away what was raised and brings back what was dismissed; that somebody has dismissed it since is no conflict.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = present.takenBack(from: after, to: before)
        takenBack.state.dropOldest()
        return takenBack
    }

    /// None: what failed in a fork is told there.
    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State { origin }

    /// Dismissals where alerts only leave, else a patch.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.reversed().map { .dismiss($0) } : [.restore(patch)]
    }

    /// The largest of everything.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Alerts that are kept; one more, and the oldest leaves.
        public static let alertsMax = 100
        /// UTF-8 bytes of a text; what is longer is cut.
        public static let textBytesMax = 4096
    }
}
