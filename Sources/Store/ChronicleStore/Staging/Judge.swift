import Chronicle
import ChronicleLog
import Expressions

/// An invariant that is evaluated incrementally, from the changes between states.
struct Judge<App: Feature>: Sendable {
    let name: String
    let expression: Expression
    var holds = false
    /// How many elements meet the conditions of its loops; `nil` if not tracked.
    var matches: [Int64?] = []

    /// Evaluates a whole state, in slices that let other queries run.
    init(_ name: String, _ expression: Expression, at state: App.State, _ queries: isolated Queries) async throws(StoreError) {
        var look = FirstLook<App>(name, expression, at: state)
        while !look.advance(steps: Limits.invariantStepsMax) { try await queries.yieldIfNeeded() }
        self = look.judge
    }

    fileprivate init(_ name: String, _ expression: Expression) {
        self.name = name
        self.expression = expression
    }
}

/// The initial evaluation of an invariant on a whole state, in slices.
///
/// It also counts what `and` and `or` would skip, so that later evaluations are all incremental.
struct FirstLook<App: Feature> {
    /// The result, once the evaluation has ended.
    private(set) var judge: Judge<App>
    private let reading: StateReading<App>
    private var evaluation: Evaluation<StateReading<App>>
    private var isJudged = false

    init(_ name: String, _ expression: Expression, at state: App.State) {
        judge = Judge(name, expression)
        let reading = StateReading<App>(state)
        self.reading = reading
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, after: $0, []) } ?? expression.evaluation(in: reading)
    }

    /// Runs about this many steps; returns whether the evaluation has ended.
    mutating func advance(steps: Int) -> Bool {
        guard let holds = evaluation.advance(steps: steps) else { return false }
        if !isJudged { judge.holds = holds }
        isJudged = true
        guard let tallies = evaluation.tallies else { return true }
        judge.matches = tallies.known
        guard let next = judge.expression.counting(tallies, in: reading) else { return true }
        evaluation = next
        return false
    }
}
