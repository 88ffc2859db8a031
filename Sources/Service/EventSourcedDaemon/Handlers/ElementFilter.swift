import Expressions
import Reducing
import StoreRuntime

/// A condition that is asked of one element after the other.
struct ElementFilter {
    /// Steps of the condition after which the clock is read: less would cost more than the condition does.
    private static let stepsPerLook = 1_024
    // Made once, because room for it costs more than most conditions.
    private var evaluation: Evaluation<ValueReader>
    private let sequence: UInt64
    private let stepsMax: Int
    private var stepsSeen = 0

    init(_ condition: Expression, at sequence: UInt64, stepsMax: Int) {
        evaluation = condition.evaluation(in: ValueReader(.null))
        (self.sequence, self.stepsMax) = (sequence, stepsMax)
    }

    /// Whether the condition holds for an element.
    ///
    /// - Throws: `tooManySteps` when it has taken more than its steps for all elements so far.
    mutating func holds(for element: Value, _ queries: isolated Queries) async throws(StoreError) -> Bool {
        evaluation.restart(in: ValueReader(element))
        while true {
            let holds = evaluation.advance(steps: Self.stepsPerLook)
            guard evaluation.steps < stepsMax else { throw .tooManySteps(reached: sequence) }
            // Also after the last: one element may be all that a slice has room for.
            if evaluation.steps - stepsSeen >= Self.stepsPerLook {
                stepsSeen = evaluation.steps
                try await queries.yieldIfNeeded()
            }
            if let holds { return holds }
        }
    }
}
