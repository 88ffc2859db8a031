public import Expressions
import Reducing
public import StoreRuntime
import Values

/// Where an invariant does not hold.
public struct Violations: Sendable {
    /// What was looked at.
    public var range: ClosedRange<UInt64>
    /// The moments at which it does not hold, as whole ranges, in order; an end that was not looked for is the beginning.
    public var ranges: [ClosedRange<UInt64>]
    /// Whether there are more than are listed.
    public var isCut: Bool
}

extension History {
    /// How much of the violations is wanted.
    public enum Wanted: Sendable {
        /// The first moment alone.
        case first
        /// All, up to `HistoryLimits.answersMax` ranges.
        case all
    }

    /// Whether an expression holds at all moments of a range.
    ///
    /// - Throws: `tooManySteps` when its evaluation takes more than `stepsMax` steps.
    public func check(
        where expression: Expression, from: Point = .start, to: Point = .now, _ wanted: Wanted = .first,
        stepsMax: Int = HistoryLimits.expressionStepsMax, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Violations {
        try await query(.long) { (queries) async throws(StoreError) in
            let range = try self.range(from, to)
            var violations = Violations(range: range, ranges: [], isCut: false)
            var begun: UInt64?
            let start = try await self.past(at: range.lowerBound, queries)
            try await self.scan(expression, from: start, through: range.upperBound, stepsMax, queries, progress: progress) {
                sequence, holds in
                if let first = begun, holds {
                    violations.ranges.append(first...sequence - 1)
                    begun = nil
                }
                guard !holds else { return true }
                violations.isCut = violations.ranges.count >= HistoryLimits.answersMax
                if !violations.isCut { begun = sequence }
                return wanted == .all && !violations.isCut
            }
            if let begun { violations.ranges.append(begun...(wanted == .all ? range.upperBound : begun)) }
            return violations
        }
    }
}
