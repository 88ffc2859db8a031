public import Chronicle
public import ChronicleLog
import ChronicleStore
public import Expressions

/// Read position of a filter in a log.
public struct FilterCursor<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    let query: LogQuery
    let filter: LogFilter
    let stepsMax: Int
    /// All records up to here have been filtered.
    var scanned: UInt64
    /// The matching records that are still to be read.
    var pending: ArraySlice<UInt64> = []
    /// The sequence of the state that was cached to continue from.
    var kept: UInt64?

    /// Begins after a sequence.
    /// - Parameter stepsMax: the steps of the condition after which a record counts as a match.
    /// - Throws: the parse error of the condition.
    public init(
        _ filter: RecordFilter, after sequence: UInt64, stepsMax: Int = HistoryLimits.subscriptionStepsMax
    ) throws(ExpressionError) {
        var query = LogQuery(feature: filter.feature, actions: filter.actions, origin: filter.origin)
        if let text = filter.condition { query.condition = try Expression(text, of: App.shape, on: .change) }
        self.query = query
        self.filter = LogFilter(query)
        self.stepsMax = stepsMax
        scanned = sequence
    }

    /// The record up to which all matches were returned.
    public var reached: UInt64 { pending.first.map { $0 - 1 } ?? scanned }
}
