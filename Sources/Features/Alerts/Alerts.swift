public import Chronicle

extension Alerts {
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .raise(let text, let id):
            guard id == 0 else { throw refusal(.fieldNotAllowed, "the daemon sets the id of an alert; omit it") }
            guard ElementID.range.contains(state.nextID) else {
                throw refusal(.idsExhausted, "there are no ids left for one more alert")
            }
            return [.raise(text.prefix(bytesMax: Limits.textBytesMax), id: state.nextID)]
        case .dismiss(let id):
            guard state.items.contains(id) else { throw refusal(.unknownID, "there is no alert \(id)") }
            return [action]
        case .dismissAll: return state.items.isEmpty ? [] : [action]
        case .restore: return [action]
        }
    }

    /// Applies a logged action; an action that doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .raise(let text, let id):
            state.append(Alert(id: id, text: text))
            state.dropOldest()
        case .dismiss(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
        case .dismissAll: state.items = OrderedTable()
        case .restore(let patch):
            state.restore(patch)
            state.dropOldest()
        }
        return []
    }

    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(["count": .int(Int64(state.items.count))], lists: [ViewList(state.items, at: "rows") { $0.value }])
    }

    /// Removes a raised alert and restores a dismissed one; a later dismissal is not a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        reverted.state.dropOldest()
        return reverted
    }

    /// Drops the alerts of a fork, because they have been shown there.
    public static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State { origin }

    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.reversed().map { .dismiss($0) } : [.restore(patch)]
    }

    enum Limits {
        /// The oldest alert is removed above it.
        static let alertsMax = 100
        static let textBytesMax = 4096
    }
}

extension Alerts.State {
    public var fault: ValueMismatch? {
        guard items.count > Alerts.Limits.alertsMax else { return nil }
        return ValueMismatch("items", "at most \(Alerts.Limits.alertsMax) alerts are expected")
    }

    mutating func dropOldest() {
        while items.count > Alerts.Limits.alertsMax, let oldest = items.id(at: 0) { items.remove(oldest) }
    }
}
