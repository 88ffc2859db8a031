import Chronicle
import ChronicleStore

/// The diff from a state back to an earlier one, without assigned ids; computed once, because that takes time.
struct Reversion<App: Feature>: Sendable {
    private let present: App.State
    private let wanted: App.State
    private let actions: [App.Action]

    /// Compares two states; call it on the query thread.
    init(from present: App.State, to target: App.State) throws(StoreError) {
        self.present = present
        wanted = App.reverted(present, from: present, to: target).state
        actions = try StepPlan<App>.compensatingActions(from: present, to: wanted)
    }

    /// Whether nothing can be reverted.
    var isEmpty: Bool { actions.isEmpty }

    /// The actions to log, given the states before and after commands were cancelled; keeps concurrent changes in other scopes.
    /// - Throws: `.outdated` for a change in a reverted scope.
    func decide(_ before: App.State, _ now: App.State) throws(StoreError) -> [App.Action] {
        let touched = App.changedScopes(from: present, to: wanted)
        guard App.changedScopes(from: present, to: before).isDisjoint(with: touched) else { throw .outdated }
        guard !App.changedScopes(from: before, to: now).isEmpty else { return actions }
        // Also revert the results that the cancelled commands reported just now.
        let target = App.reverted(before, from: present, to: wanted).state
        return try StepPlan<App>.compensatingActions(from: now, to: App.reverted(now, from: now, to: target).state)
    }
}
