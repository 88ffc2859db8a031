public import Expressions
public import Records
public import Reducing
import StoreRuntime
public import Values

/// A place in what a filter wants of a log: what comes next is read from here.
public struct FilterCursor<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    let query: LogQuery
    let filter: LogFilter
    /// How many steps its condition may take at one record.
    let stepsMax: Int
    /// Up to here it is known which records are wanted.
    var scanned: UInt64
    /// Those that are still to be read.
    var pending: ArraySlice<UInt64> = []
    /// The sequence of the state that was kept to go on from.
    var kept: UInt64?

    /// Begins behind a sequence.
    ///
    /// - Parameter stepsMax: the steps of the condition after which a record counts as wanted.
    /// - Throws: why its condition can't be read.
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

    /// The last record up to which everything that is wanted was given.
    public var reached: UInt64 { pending.first.map { $0 - 1 } ?? scanned }
}
