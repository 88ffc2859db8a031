public import Chronicle

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
    /// - Parameters:
    ///   - query: of it, only features, actions, origin and condition are used.
    ///   - stepsMax: the steps of the condition after which a record counts as a match.
    public init(_ query: LogQuery, after sequence: UInt64, stepsMax: Int = HistoryLimits.filterStepsMax) {
        self.query = query
        filter = LogFilter(query)
        self.stepsMax = stepsMax
        scanned = sequence
    }

    /// The record up to which all matches were returned.
    public var reached: UInt64 { pending.first.map { $0 - 1 } ?? scanned }
}
