import Chronicle
public import ChronicleStore
public import Expressions

/// The points at which an invariant is false.
public struct Violations: Sendable {
    /// The checked range.
    public var range: ClosedRange<UInt64>
    /// The ranges in which it is false, in order; with `Wanted.first`, one range of one record.
    public var ranges: [ClosedRange<UInt64>]
    /// Whether the list is incomplete.
    public var isCut: Bool
}

extension History {
    /// Which violations to list.
    public enum Wanted: Sendable {
        /// The first record only.
        case first
        /// All, up to `HistoryLimits.answersMax` ranges.
        case all
    }

    /// Checks whether an expression is true at all points of a range.
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
