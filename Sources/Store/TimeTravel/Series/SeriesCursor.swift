import Expressions
import Records
public import Reducing
import StoreRuntime
import Values

/// A place in the answer to a query for a series: the next page goes on from here.
public struct SeriesCursor<App: Feature>: Sendable {
    let query: SeriesQuery
    /// What is still to be looked at; `nil`: nothing.
    var rest: ClosedRange<UInt64>?
    /// Whether a page was given already.
    var hasBegun = false
    /// How many steps the expression may still take.
    var stepsLeft = HistoryLimits.expressionStepsMax
    /// The sequence of the state that was kept to go on from.
    var kept: UInt64?
    /// The step of the last record, of which more may follow.
    var step: UInt64?
    /// The record of the last point that was told.
    var told: UInt64?
    /// Whether the states that are kept on disk can be used; those of other code can't.
    var usesFiles = true

    /// Whether another page may have points.
    public var hasMore: Bool { rest != nil }

    /// The last record that was looked at; `nil`: all were.
    public var reached: UInt64? { rest.map { $0.lowerBound - 1 } }
}

/// Computes a number in state after state.
struct Sampler<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    private var following: Following<App>?
    private var value: Int64?
    private var past: (sequence: UInt64, time: Int64) = (0, 0)
    /// How many steps it has taken.
    private(set) var steps = 0
    /// The points that it has computed.
    private(set) var points: [SeriesPoint] = []

    init(_ expression: Expression) { self.expression = expression }

    /// Computes it in the next state; `false`: `goOn` has to be called until it gives `true`.
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
        // Others could not be told exactly.
        value = following?.evaluation.number.flatMap { $0.magnitude <= Int64.exactMax.magnitude ? $0 : nil }
        points.append(SeriesPoint(sequence: past.sequence, time: past.time, value: value))
        return true
    }

    /// What comes next shares nothing with the state before.
    mutating func forget() { following = nil }
}
