public import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions

/// Read position of a series query.
public struct SeriesCursor<App: Feature>: Sendable {
    let query: SeriesQuery
    /// The unread range; `nil`: none.
    var rest: ClosedRange<UInt64>?
    var hasBegun = false
    var stepsLeft = HistoryLimits.expressionStepsMax
    /// The sequence of the state that was cached to continue from.
    var kept: UInt64?
    /// The step of the last record, which may continue.
    var step: UInt64?
    /// The record of the last returned point.
    var told: UInt64?
    /// Whether snapshots on disk can be used; those of other code can't.
    var usesFiles = true

    /// Whether another page may have points.
    public var hasMore: Bool { rest != nil }

    /// The last record scanned; `nil`: all.
    public var reached: UInt64? { rest.map { $0.lowerBound - 1 } }
}

/// Evaluates a number in successive states.
struct Sampler<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    private var following: Following<App>?
    private var value: Int64?
    private var past: (sequence: UInt64, time: Int64) = (0, 0)
    private(set) var steps = 0
    private(set) var points: [SeriesPoint] = []

    init(_ expression: Expression) { self.expression = expression }

    /// Evaluates the next state; after `false`, call `goOn` until it returns `true`.
    mutating func take(_ past: PastState<App>) -> Bool {
        self.past = (past.sequence, past.time)
        if following == nil {
            following = Following(expression, in: past)
        } else if following?.follow(past) == false {
            points.append(SeriesPoint(sequence: past.sequence, time: past.time, value: value))
            return true
        }
        return goOn()
    }

    mutating func goOn() -> Bool {
        let before = following?.evaluation.steps ?? 0
        let isDone = following?.evaluation.advance(steps: HistoryLimits.expressionSteps) != nil
        steps += (following?.evaluation.steps ?? 0) - before
        guard isDone else { return false }
        // Larger numbers would lose precision.
        value = following?.evaluation.number.flatMap { $0.magnitude <= Int64.exactMax.magnitude ? $0 : nil }
        points.append(SeriesPoint(sequence: past.sequence, time: past.time, value: value))
        return true
    }

    /// Call before a state that shares nothing with the previous one.
    mutating func forget() { following = nil }
}
