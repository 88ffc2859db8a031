public import Fields

extension Flows {
    /// Applies a logged action; what is about a flow that is not open changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .started(let flow):
            guard Limits.ids.contains(flow.id) else { return [] }
            state.raiseNextID(above: flow.id)
            if !state.items.append(flow, id: flow.id) { state.items.update(flow.id) { $0 = flow } }

        case .ended(let id, _):
            state.raiseNextID(above: id)
            state.items.remove(id)

        case .offered(let id, let options):
            state.raiseNextID(above: id)
            state.items.update(id) { $0.options = options }

        case .restore(let patch):
            for place in patch.placed { state.raiseNextID(above: place.element.id) }
            patch.apply(to: &state.items) { flow, _ in Limits.ids.contains(flow.id) }

        case .start, .answer, .cancel:
            // Never logged: `prepare` resolves them.
            break
        }
        return []
    }
}
