import Expressions
import Reducing

/// A condition that is followed from state to state, by what changed between them.
struct Judge<App: Feature>: Sendable {
    /// What it is told of as.
    let name: String
    let expression: Expression
    /// Whether it held in the state that was looked at last.
    var holds = false
    /// How many elements meet the conditions of its loops there; `nil`: nobody follows that.
    var matches: [Int64?]
    /// The condition, with the room to judge it.
    var condition: FollowedCondition

    /// Makes one that has looked at no state yet.
    init(_ name: String, _ expression: Expression) {
        self.name = name
        self.expression = expression
        condition = expression.followed
        matches = condition.loops.map { _ in nil }
    }

    /// Looks at a state as a whole; for a state of many elements not on the store's thread.
    ///
    /// What is passed over behind an `and` or an `or` is counted, too: from then on nothing is ever counted as a whole.
    mutating func look(at state: App.State) {
        let reading = StateReading<App>(state)
        guard let tallies = expression.tallies else {
            holds = expression.holds(in: reading)
            return
        }
        var evaluation = expression.evaluation(in: reading, after: tallies, [])
        while true {
            guard let holds = evaluation.advance(steps: .max) else { continue }
            self.holds = holds
            break
        }
        matches = expression.counted(evaluation.tallies ?? tallies, in: reading).known
    }
}
