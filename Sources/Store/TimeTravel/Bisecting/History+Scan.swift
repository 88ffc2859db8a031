import Chronicle
import ChronicleStore
import Expressions

extension History {
    func holds(
        _ expression: Expression, in past: PastState<App>, _ budget: inout Int, _ queries: isolated Queries
    ) async throws(StoreError) -> Bool {
        var evaluation = expression.evaluation(in: StateReading<App>(past.state), facts: past.facts)
        return try await finish(&evaluation, at: past.sequence, &budget, queries)
    }

    /// Finishes an evaluation, in slices that yield to other queries.
    func finish(
        _ evaluation: inout Evaluation<StateReading<App>>, at sequence: UInt64, _ budget: inout Int, _ queries: isolated Queries
    ) async throws(StoreError) -> Bool {
        while true {
            let before = evaluation.steps
            let holds = evaluation.advance(steps: HistoryLimits.expressionSteps)
            budget -= evaluation.steps - before
            if let holds { return holds }
            guard budget > 0 else { throw .tooManySteps(reached: sequence) }
            try await queries.yieldIfNeeded()
        }
    }

    /// Evaluates an expression record by record, and reports its initial value and each change until the closure returns `false`.
    ///
    /// The budget limits all evaluations together. Only changed inputs and changed list elements are evaluated again.
    func scan(
        _ expression: Expression, from start: PastState<App>, through last: UInt64, _ budget: Int, _ queries: isolated Queries,
        progress: (UInt64) -> Void, _ body: (UInt64, Bool) -> Bool
    ) async throws(StoreError) {
        var past = start
        var budget = budget
        progress(past.sequence)
        var following = Following<App>(expression, in: past)
        var holds = try await finish(&following.evaluation, at: past.sequence, &budget, queries)
        guard body(past.sequence, holds) else { return }
        while past.sequence < last {
            var isPending = false
            var goesOn = true
            var steps = 0
            try foldSlice(&past, through: last) { past, _ in
                guard following.follow(past) else { return true }
                let now = following.evaluation.advance(steps: HistoryLimits.expressionSteps)
                steps += following.evaluation.steps
                guard let now else {
                    isPending = true
                    return false
                }
                if now != holds {
                    holds = now
                    goesOn = body(past.sequence, now)
                }
                return goesOn && steps < HistoryLimits.sliceSteps
            }
            budget -= steps
            if isPending {
                let now = try await finish(&following.evaluation, at: past.sequence, &budget, queries)
                if now != holds {
                    holds = now
                    goesOn = body(past.sequence, now)
                }
            }
            guard goesOn else { return }
            guard budget > 0 else { throw .tooManySteps(reached: past.sequence) }
            progress(past.sequence)
            try await queries.yieldIfNeeded()
        }
    }
}
