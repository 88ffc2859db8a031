public import Records
public import Reducing
public import StoreRuntime
import Values

extension History {
    /// Lends the headers of records, each with its encoded action, in slices between which others have their turn.
    ///
    /// - Parameters:
    ///   - body: Gives `false` where the slice is to end with this record.
    ///   - between: Called after each slice; gives `false` where the walk is to end.
    func walk(
        from first: UInt64, through last: UInt64, _ queries: isolated Queries,
        _ body: (HeaderFields, RawSpan) -> Bool, between: () throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var next = first
        while next <= last {
            let slice = Slice()
            try StoreError.reading { () throws(ActionLogError) in
                next = try log.fold(from: next, through: last) { body($0, $1) && !slice.isOver(after: $0) }
            }
            guard try between() else { return }
            try await queries.yieldIfNeeded()
        }
    }

    /// Lends records, each with the action it holds, until one is the last, the slice is over, or the closure gives `false`.
    ///
    /// The first record is lent however long it takes. For folds beside the log: the closure may apply something else.
    public func readSlice(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, App.Action?) -> Bool
    ) throws(StoreError) {
        try Self.readSlice(of: log, from: first, through: last, body)
    }

    static func readSlice(
        of log: any ActionLog, from first: UInt64, through last: UInt64, _ body: (HeaderFields, App.Action?) -> Bool
    ) throws(StoreError) {
        let slice = Slice()
        try StoreError.reading { () throws(ActionLogError) in
            try App.Action.read(log, from: first, through: last) { body($0, $1) && !slice.isOver(after: $0) }
        }
    }
}

/// The part of a walk over the log after which others have their turn.
private struct Slice {
    private let end = monotonicNanoseconds() + HistoryLimits.sliceNanoseconds

    func isOver(after record: HeaderFields) -> Bool {
        record.sequence % HistoryLimits.clockRecords == 0 && monotonicNanoseconds() >= end
    }
}
