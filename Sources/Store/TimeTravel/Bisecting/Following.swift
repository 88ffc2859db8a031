import Chronicle
import ChronicleStore
import Expressions

/// Evaluates an expression in successive states.
struct Following<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    // The scopes that the expression reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private var state: App.State
    var evaluation: Evaluation<StateReading<App>>

    init(_ expression: Expression, in past: PastState<App>) {
        self.expression = expression
        scopes = expression.reads.facts.isEmpty ? App.scopes(of: expression.reads.paths) : nil
        state = past.state
        let reading = StateReading<App>(past.state)
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, facts: past.facts, after: $0, []) }
            ?? expression.evaluation(in: reading, facts: past.facts)
    }

    /// Begins the evaluation in the next state, after the one in this state has ended; `false` if no input has changed.
    mutating func follow(_ next: borrowing PastState<App>) -> Bool {
        defer { state = next.state }
        if let scopes, App.changedScopes(from: state, to: next.state).isDisjoint(with: scopes) { return false }
        let reading = StateReading<App>(next.state)
        if let tallies = evaluation.tallies {
            let changes = tallies.isEmpty ? [] : App.changes(from: state, to: next.state, limit: HistoryLimits.countedChangesMax)
            evaluation = expression.evaluation(in: reading, facts: next.facts, after: tallies, changes)
        } else {
            evaluation = expression.evaluation(in: reading, facts: next.facts)
        }
        return true
    }
}

extension PastState {
    var facts: RecordFacts { RecordFacts(time: sequence > 0 ? time : nil) }
}
