import ActionCoding
import Expressions
import Reducing
import StoreRuntime

extension Timeline {
    /// Whether an expression holds in a state.
    func holds(_ expression: Expression, in state: App.State, _ queries: isolated Queries) async throws(TravelError) -> Bool {
        try await finish(expression.evaluation(in: StateReading<App>(state)), queries)
    }

    private func finish(
        _ begun: Evaluation<StateReading<App>>, _ queries: isolated Queries
    ) async throws(TravelError) -> Bool {
        var evaluation = begun
        while true {
            if let holds = evaluation.advance(steps: TravelLimits.expressionSteps) { return holds }
            try await breathe(queries)
        }
    }

    /// Follows an expression from a state on, record by record: the closure is told where it begins, and wherever its truth
    /// changes, until it gives `false`.
    ///
    /// It is evaluated only where something changed in what it reads.
    func scan(
        _ expression: Expression, from start: Past<App>, through last: UInt64, _ queries: isolated Queries,
        progress: (UInt64) -> Void, _ body: (UInt64, Bool) -> Bool
    ) async throws(TravelError) {
        var past = start
        var holds = try await holds(expression, in: past.state, queries)
        guard body(past.sequence, holds) else { return }
        let scopes = App.scopes(of: expression.paths)
        var known = past.state
        while past.sequence < last {
            var pending: Evaluation<StateReading<App>>?
            var goesOn = true
            try foldSlice(&past, through: last) { past, _ in
                let changed = scopes.map { !App.changedScopes(from: known, to: past.state).isDisjoint(with: $0) } ?? true
                known = past.state
                guard changed else { return true }
                var evaluation = expression.evaluation(in: StateReading<App>(known))
                guard let now = evaluation.advance(steps: TravelLimits.expressionSteps) else {
                    pending = evaluation
                    return false
                }
                guard now != holds else { return true }
                holds = now
                goesOn = body(past.sequence, now)
                return goesOn
            }
            if let pending {
                let now = try await finish(pending, queries)
                if now != holds {
                    holds = now
                    goesOn = body(past.sequence, now)
                }
            }
            guard goesOn else { return }
            progress(past.sequence)
            try await breathe(queries)
        }
    }
}
