import Expressions
import Records
import Reducing
import Values

/// A condition that is followed from state to state, by what changed between them.
struct Judge<App: Feature>: Sendable {
    /// What it is told of as.
    let name: String
    let expression: Expression
    /// Whether it held in the state that was looked at last.
    var holds = false
    /// How many elements meet the conditions of its loops there; `nil`: nobody follows that.
    var matches: [Int64?] = []

    /// Makes one that looks at a state as a whole, and lets others go on in between.
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

/// The look of a judge at a state as a whole, in as many turns as it takes.
///
/// What is passed over behind an `and` or an `or` is counted, too: from then on nothing is ever counted as a whole.
struct FirstLook<App: Feature> {
    /// The judge, once it has looked at all.
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

    /// Goes on for about so many steps; whether that was the end.
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
