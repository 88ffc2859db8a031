import Reducing
import StoreRuntime

/// What leads from a state back to one that was, but for ids that were handed out.
///
/// The two states are compared once, when it is made; in line nothing is that takes as long as they are large.
struct Reversion<App: Feature>: Sendable {
    private let present: App.State
    private let wanted: App.State
    private let actions: [App.Action]

    /// Compares two states; for the query thread.
    init(from present: App.State, to target: App.State) throws(StoreError) {
        self.present = present
        wanted = App.takenBack(present, from: present, to: target).state
        actions = try StepPlan<App>.compensation(from: present, to: wanted)
    }

    /// Whether all is as it was already, or as near to that as it comes.
    var isEmpty: Bool { actions.isEmpty }

    /// What is to be logged on the state before and after commands were cancelled.
    ///
    /// What came meanwhile in other scopes than those that go back stays, as if it had come after. Throws `.wentOn` if anything
    /// came in one of those.
    func decide(_ before: App.State, _ now: App.State) throws(StoreError) -> [App.Action] {
        let touched = App.changedScopes(from: present, to: wanted)
        guard App.changedScopes(from: present, to: before).isDisjoint(with: touched) else { throw .wentOn }
        guard !App.changedScopes(from: before, to: now).isEmpty else { return actions }
        // What the cancelled commands said just now is taken back with the rest.
        let target = App.takenBack(before, from: present, to: wanted).state
        return try StepPlan<App>.compensation(from: now, to: App.takenBack(now, from: now, to: target).state)
    }
}
