public import Chronicle

extension Flows {
    /// Returns the open flow of the kind to start, if any.
    public static func existing(for action: Action, in state: State) -> [UInt64] {
        if case .start(let kind, _) = action { state.flow(of: kind).map { [$0.id] } ?? [] } else { [] }
    }

    /// A row for each open flow, with its options and whether it waits for a child.
    public static func viewParts(of state: State) -> ViewParts {
        // Not a `ViewList`, because whether a flow waits depends on other rows.
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

    /// Reopens an ended flow and removes a started one; another open flow of the same kind is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        for flow in reverted.state.items.elements where !present.items.contains(flow.id) {
            guard let other = present.flow(of: flow.kind), reverted.state.items.contains(other.id) else { continue }
            // There is at most one per kind, even if the undo is forced.
            reverted.state.items.remove(flow.id)
            reverted.conflicts.append(Conflict("items[\(flow.id)]", expected: nil, found: other.value))
        }
        return reverted
    }

    /// Renumbers the flows of a fork and the references to them; a timeout of a missing flow is dropped.
    public static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State {
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: stretches)
        var carried = state.renumbered(since: origin, along: stretches)
        for flow in carried.items.elements {
            let parent = moved[flow.parent] ?? 0
            if parent != flow.parent { carried.items.update(flow.id) { $0.parent = parent } }
        }
        carried.timedOut = moved[state.timedOut] ?? origin.timedOut
        return carried
    }

    /// End events if flows were only removed, otherwise a patch; preceded by the last timeout if it differs.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        var items = present.items
        let isOther = present.timedOut != wanted.timedOut
        if isOther { items.remove(wanted.timedOut) }
        let patch = TablePatch(from: items, to: wanted.items)
        let rest: [Action] = patch.placed.isEmpty ? patch.removed.map { .ended($0, result: nil) } : [.restore(patch)]
        return (isOther ? [.timedOut(wanted.timedOut)] : []) + rest
    }

    enum Limits {
        static let itemsMax = 100
        static let kindBytesMax = 100
        static let answerBytesMax = 4_096
        /// A year.
        static let secondsMax: Int64 = 366 * 86_400
    }
}
