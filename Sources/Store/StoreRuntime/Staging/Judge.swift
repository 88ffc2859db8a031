import Expressions
import Reducing

/// A condition that is followed from state to state, by what changed between them.
struct Judge<App: Feature>: Sendable {
    /// What it is told of as.
    let name: String
    let expression: Expression
    /// The scopes that it reads; `nil`: any.
    private let scopes: ScopeSet?
    private var tallies: Tallies?
    /// Whether it held in the state that was looked at last.
    private(set) var holds = false

    /// Makes one that has looked at no state yet.
    init(_ name: String, _ expression: Expression) {
        self.name = name
        self.expression = expression
        scopes = App.scopes(of: expression.paths)
        tallies = expression.tallies
    }

    /// Looks at a state as a whole; for a state of many elements not on the store's thread.
    ///
    /// What is passed over behind an `and` or an `or` is counted, too: from then on nothing is ever counted as a whole.
    mutating func look(at state: App.State) {
        finish(evaluation(in: state, after: tallies, []))
        guard let known = tallies else { return }
        tallies = expression.counted(known, in: StateReading<App>(state))
    }

    /// Whether a change of some scopes may concern it.
    func isConcerned(by changed: ScopeSet) -> Bool { scopes.map { !changed.isDisjoint(with: $0) } ?? true }

    /// Goes on to a state that some changes lead to from the last one.
    mutating func follow(to state: App.State, by changes: [Change]) {
        finish(evaluation(in: state, after: tallies, tallies?.isEmpty == false ? changes : []))
    }

    private func evaluation(
        in state: App.State, after tallies: Tallies?, _ changes: [Change]
    ) -> Evaluation<StateReading<App>> {
        let reading = StateReading<App>(state)
        return tallies.map { expression.evaluation(in: reading, after: $0, changes) } ?? expression.evaluation(in: reading)
    }

    private mutating func finish(_ evaluation: Evaluation<StateReading<App>>) {
        var evaluation = evaluation
        while true {
            guard let holds = evaluation.advance(steps: .max) else { continue }
            self.holds = holds
            tallies = evaluation.tallies
            return
        }
    }
}

/// The judges of all conditions that every state must meet, and the state that they looked at last.
///
/// A value: a dispatch that is refused leaves it as it was.
struct Judges<App: Feature>: Sendable {
    /// In the order in which their conditions were set.
    private(set) var all: [Judge<App>] = []
    /// `nil`: there are none.
    private var state: App.State?

    /// Looks at a state as a whole, as far as the conditions can be read by this version.
    init(_ conditions: [(name: String, text: String)], in state: App.State) {
        if !conditions.isEmpty { self.state = state }
        for (name, text) in conditions {
            guard let expression = try? Expression(text, of: App.shape) else { continue }
            var judge = Judge<App>(name, expression)
            judge.look(at: state)
            all.append(judge)
        }
    }

    /// Goes on to another state; gives the judges whose conditions held and no longer do.
    mutating func follow(to next: App.State) -> [Judge<App>] {
        guard !all.isEmpty, let state else { return [] }
        let changed = App.changedScopes(from: state, to: next)
        var changes: [Change]?
        var broken: [Judge<App>] = []
        for index in all.indices where all[index].isConcerned(by: changed) {
            let known = changes ?? App.changes(from: state, to: next, limit: .max) ?? []
            changes = known
            let held = all[index].holds
            all[index].follow(to: next, by: known)
            if held, !all[index].holds { broken.append(all[index]) }
        }
        self.state = next
        return broken
    }

    /// Puts a judge in the place of the one of its name, if there is one.
    mutating func set(_ judge: Judge<App>, at state: App.State) {
        _ = follow(to: state)
        remove(judge.name)
        self.state = state
        all.append(judge)
    }

    mutating func remove(_ name: String) {
        all.removeAll { $0.name.hasSameBytes(as: name) }
        if all.isEmpty { state = nil }
    }
}
