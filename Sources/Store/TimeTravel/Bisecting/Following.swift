import Expressions
import Reducing
import StoreRuntime
import Values

/// An expression on a state, on its way from state to state.
struct Following<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    // What it reads; `nil`: anything may matter.
    private let scopes: ScopeSet?
    private var state: App.State
    var evaluation: Evaluation<StateReading<App>>

    init(_ expression: Expression, in past: PastState<App>) {
        self.expression = expression
        scopes = expression.reads.facts.isEmpty ? App.scopes(of: expression.paths) : nil
        state = past.state
        let reading = StateReading<App>(past.state)
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, facts: past.facts, after: $0, []) }
            ?? expression.evaluation(in: reading, facts: past.facts)
    }

    /// Begins its evaluation in the next state, once that in this one has ended; `false` if nothing changed in what it reads.
    mutating func follow(_ next: borrowing PastState<App>) -> Bool {
        defer { state = next.state }
        if let scopes, App.changedScopes(from: state, to: next.state).isDisjoint(with: scopes) { return false }
        let reading = StateReading<App>(next.state)
        if let tallies = evaluation.tallies {
            let changes =
                tallies.isEmpty ? [] : App.changes(from: state, to: next.state, limit: HistoryLimits.countedChangesMax)
            evaluation = expression.evaluation(in: reading, facts: next.facts, after: tallies, changes)
        } else {
            evaluation = expression.evaluation(in: reading, facts: next.facts)
        }
        return true
    }
}

extension PastState {
    /// What a condition on this state may ask of the record that led to it.
    var facts: RecordFacts { RecordFacts(time: sequence > 0 ? time : nil) }
}
