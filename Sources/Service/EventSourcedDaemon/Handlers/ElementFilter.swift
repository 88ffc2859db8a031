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

    /// Goes on to an element; `advance()` then says whether the condition holds for it.
    mutating func begin(_ element: Value) { evaluation.restart(in: ValueReader(element)) }

    /// Whether the condition holds for the element, or `nil` when that is not yet known.
    ///
    /// - Throws: `tooManySteps` when it has taken more than its steps for all elements so far.
    mutating func advance() throws(StoreError) -> Bool? {
        let holds = evaluation.advance(steps: Self.stepsPerLook)
        guard evaluation.steps < stepsMax else { throw .tooManySteps(reached: sequence) }
        return holds
    }

    /// Whether others may want to go on, as whoever looks has to ask then; it is so as well after the last element, which may be
    /// all that a slice has room for.
    mutating func isLongSinceLook() -> Bool {
        guard evaluation.steps - stepsSeen >= Self.stepsPerLook else { return false }
        stepsSeen = evaluation.steps
        return true
    }
}
