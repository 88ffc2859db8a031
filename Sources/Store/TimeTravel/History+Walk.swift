public import Chronicle
public import ChronicleLog
public import ChronicleStore

extension History {
    /// Visits record headers and encoded actions, in slices that yield to other queries.
    /// - Parameters:
    ///   - body: returns `false` to end the slice with this record.
    ///   - between: called after each slice; returns `false` to stop.
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

    /// The outermost of the adjacent records, before or after a record, that belong together with it.
    /// - Parameter belong: gets two adjacent records.
    func outermost(
        from record: LoggedRecord<App>, isForward: Bool, _ queries: isolated Queries,
        _ belong: (_ before: LoggedRecord<App>, _ after: LoggedRecord<App>) -> Bool
    ) async throws(StoreError) -> LoggedRecord<App> {
        var last = record
        while isForward ? last.header.sequence < log.head.sequence : last.header.sequence - 1 > base.sequence {
            let next = try self.record(at: isForward ? last.header.sequence + 1 : last.header.sequence - 1)
            guard isForward ? belong(last, next) : belong(next, last) else { break }
            last = next
            try await queries.yieldIfNeeded()
        }
        return last
    }

    /// Visits records and their actions up to `last`, at least one, until the slice is over or the closure returns `false`.
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

private struct Slice {
    private let end = monotonicNanoseconds() + HistoryLimits.sliceNanoseconds

    func isOver(after record: HeaderFields) -> Bool {
        record.sequence % HistoryLimits.clockRecords == 0 && monotonicNanoseconds() >= end
    }
}
