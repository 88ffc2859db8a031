public import Fields

/// Questions that the app asks, each with exactly one result.
///
/// A flow waits in the state, so it survives whoever started it, and anybody may answer it. What kinds there are, what they
/// ask and what an answer leads to is the business of coordinators, above all features.
public enum Flows: Feature {
    /// The bits of the fields of the state, in their order.
    enum Field {
        static let items = ScopeSet(index: 0)
        static let nextID = ScopeSet(index: 1)
        static let timedOut = ScopeSet(index: 2)
    }

    /// What an order is logged as is a fact: nobody can say that a flow has ended, only answer or cancel it.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .start, .answer, .cancel: .order
        case .started, .ended, .offered, .restore, .timedOut: .fact
        }
    }

    /// The id of the flow that was started.
    public static func created(by action: Action) -> [UInt64] {
        if case .started(let flow) = action { [flow.id] } else { [] }
    }

    /// The open flow of the kind that is to be started.
    public static func existing(for action: Action, in state: State) -> [UInt64] {
        if case .start(let kind, _) = action { state.flow(of: kind).map { [$0.id] } ?? [] } else { [] }
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .start, .started, .restore: [Field.items, Field.nextID]
        case .answer, .cancel, .ended, .offered: Field.items
        case .timedOut: [Field.items, Field.timedOut]
        }
    }

    /// What a screen shows: a row for each open flow, with its answers and whether it waits for another.
    public static func viewParts(of state: State) -> ViewParts {
        // Not row by row of the table: whether a flow waits is told by another one.
        var rows: [Value] = []
        state.items.forEach { id, flow in
            var row = [
                Value.Field("id", .int(Int64(clamping: id))), Value.Field("kind", .text(flow.kind)),
                Value.Field("parent", .int(Int64(clamping: flow.parent))), Value.Field("options", flow.options.value),
                Value.Field("waits", .bool(state.child(of: id) != nil)),
            ]
            if flow.deadline != 0 { row.append(Value.Field("deadline", .int(flow.deadline))) }
            rows.append(.record(row))
            return true
        }
        return ViewParts(["rows": .list(rows)])
    }

    /// Opens again what was ended, and takes away what was started; another open flow of the same kind is a conflict.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = present.takenBack(from: after, to: before)
        for flow in takenBack.state.items.elements where !present.items.contains(flow.id) {
            guard let other = present.flow(of: flow.kind), takenBack.state.items.contains(other.id) else { continue }
            // There is at most one of a kind, whatever anybody insists on.
            takenBack.state.items.remove(flow.id)
            takenBack.conflicts.append(Conflict("items[\(flow.id)]", expected: nil, found: other.value))
        }
        return takenBack
    }

    /// The flows under other ids, also where another one, or the state, names them; of a flow that never came nobody is told that its time was
    /// over.
    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State {
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: legs)
        var carried = state.carriedOver(since: origin, along: legs)
        for flow in carried.items.elements {
            let parent = moved[flow.parent] ?? 0
            if parent != flow.parent { carried.items.update(flow.id) { $0.parent = parent } }
        }
        carried.timedOut = moved[state.timedOut] ?? origin.timedOut
        return carried
    }

    /// Ends where flows only leave, else a patch; and first which one's time was over last.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        var items = present.items
        let isOther = present.timedOut != wanted.timedOut
        if isOther { items.remove(wanted.timedOut) }
        let patch = TablePatch(from: items, to: wanted.items)
        let rest: [Action] = patch.placed.isEmpty ? patch.removed.map { .ended($0, result: nil) } : [.restore(patch)]
        return (isOther ? [.timedOut(wanted.timedOut)] : []) + rest
    }

    /// The largest of everything; `prepare` refuses more.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Open flows.
        public static let itemsMax = 100
        /// UTF-8 bytes of the name of a kind.
        public static let kindBytesMax = 100
        /// UTF-8 bytes of an answer.
        public static let answerBytesMax = 4_096
        /// Seconds that a flow waits for its answer, if not for ever: a year.
        public static let secondsMax: UInt64 = 366 * 86_400
    }
}
