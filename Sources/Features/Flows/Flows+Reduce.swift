public import Chronicle

extension Flows {
    /// Applies a logged action; an action on a flow that is not open changes nothing but `nextID`.
    ///
    /// Only deadlines return commands.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .started(let flow):
            guard ElementID.range.contains(flow.id) else { return [] }
            state.raiseNextID(above: flow.id)
            let deadline = state.items[flow.id]?.deadline
            if !state.items.append(flow, id: flow.id) { state.items.update(flow.id) { $0 = flow } }
            return deadline == flow.deadline ? [] : flow.timer(from: context.time)

        case .ended(let id, _):
            state.raiseNextID(above: id)
            let timerEnd = state.items[id]?.timerEnd ?? []
            state.items.remove(id)
            return timerEnd

        case .timedOut(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
            state.timedOut = id

        case .offered(let id, let options):
            state.raiseNextID(above: id)
            state.items.update(id) { $0.options = options }

        case .restore(let patch):
            let timerEnds = patch.removed.flatMap { state.items[$0]?.timerEnd ?? [] }
            let missing = patch.placed.map(\.element).filter { state.items[$0.id] == nil }
            state.restore(patch)
            return timerEnds + missing.flatMap { state.items[$0.id]?.timer(from: context.time) ?? [] }

        case .start, .answer, .cancel:
            // Never logged, because `prepare` replaces them.
            break
        }
        return []
    }
}
