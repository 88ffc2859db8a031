import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization

/// A question that a scan asks about each record and the states before and after it.
protocol RecordVisitor<App> {
    associatedtype App: Feature where App.State: CanonicalCodable, App.Action: CanonicalCodable

    /// Evaluation steps taken so far.
    var steps: Int { get }

    /// Applies the next record to the state before it.
    /// - Returns: `false` to end the scan; `nil` if an evaluation is unfinished. If the record was not applied, it is visited again.
    mutating func visit(_ past: inout PastState<App>, _ record: HeaderFields, _ action: App.Action?) -> Bool?

    /// Continues an unfinished evaluation, or one that began before the first record; `true` without one.
    mutating func goOn() -> Bool?
}

/// The position of an answer that is read in pages.
protocol PageCursor: Sendable {
    /// Whether its first page was admitted.
    var hasBegun: Bool { get set }
}

extension History {
    /// Scans the records after a state until the visitor ends the scan, or a time is over; yields to other queries between slices.
    ///
    /// Makes progress even if the time is over at the beginning.
    /// - Parameters:
    ///   - budget: the evaluation steps left.
    ///   - end: when to stop, in nanoseconds of the monotonic clock.
    /// - Throws: `tooManySteps`.
    func scan<Visitor: RecordVisitor>(
        _ past: inout PastState<App>, through last: UInt64, _ visitor: inout Visitor, _ budget: inout Int,
        until end: UInt64 = .max, _ queries: isolated QueryExecutor, progress: (UInt64) -> Void = { _ in }
    ) async throws(StoreError) where Visitor.App == App {
        var charged = visitor.steps
        var goesOn = visitor.goOn()
        var isOver = false
        while true {
            while goesOn == nil {
                guard budget > visitor.steps - charged else { throw .tooManySteps(reached: past.sequence) }
                try await queries.yieldIfNeeded()
                goesOn = visitor.goOn()
            }
            let steps = visitor.steps - charged
            charged += steps
            budget -= steps
            counting.withLock { $0.steps += steps }
            guard goesOn == true else { return }
            guard budget > 0 else { throw .tooManySteps(reached: past.sequence) }
            progress(past.sequence)
            if past.sequence >= last || isOver && monotonicNanoseconds() >= end { return }
            try await queries.yieldIfNeeded()
            let before = past.sequence
            try readSlice(from: before + 1, through: last) { record, action in
                goesOn = visitor.visit(&past, record, action)
                return goesOn == true && visitor.steps - charged < HistoryLimits.sliceSteps
            }
            let folded = past.sequence - before
            counting.withLock { $0.folded += folded }
            isOver = true
        }
    }

    /// Folds record by record and shows each with the state after it.
    func scan(
        _ past: inout PastState<App>, through last: UInt64, _ queries: isolated QueryExecutor,
        _ body: (borrowing PastState<App>, HeaderFields) -> Void
    ) async throws(StoreError) {
        while past.sequence < last {
            try foldSlice(&past, through: last) {
                body($0, $1)
                return true
            }
            try await queries.yieldIfNeeded()
        }
    }

    /// Folds without looking at the records, which is faster.
    func fold(_ past: inout PastState<App>, through last: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) {
        while past.sequence < last {
            let folded = try foldOn(log, &past, last)
            counting.withLock { $0.folded += folded }
            try await queries.yieldIfNeeded()
        }
    }

    /// Folds until a sequence is reached, the slice is over, or the closure, called after each record, returns `false`.
    func foldSlice(
        _ past: inout PastState<App>, through last: UInt64, _ body: (borrowing PastState<App>, HeaderFields) -> Bool
    ) throws(StoreError) {
        var folded: UInt64 = 0
        defer { counting.withLock { [folded] in $0.folded += folded } }
        try readSlice(from: past.sequence + 1, through: last) { record, action in
            past.apply(action, of: record)
            folded += 1
            return body(past, record)
        }
    }

    /// Visits record headers and encoded actions, in slices that yield to other queries.
    /// - Parameters:
    ///   - body: returns `false` to end the slice with this record.
    ///   - between: called after each slice; returns `false` to stop.
    func walk(
        from first: UInt64, through last: UInt64, _ queries: isolated QueryExecutor,
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

    /// Visits records and their actions, in slices that yield to other queries, until the closure returns `false`.
    func walk(
        from first: UInt64, through last: UInt64, _ queries: isolated QueryExecutor, _ body: (HeaderFields, App.Action?) -> Bool
    ) async throws(StoreError) {
        var (next, goesOn) = (first, true)
        while next <= last, goesOn {
            try readSlice(from: next, through: last) { record, action in
                next = record.sequence + 1
                goesOn = body(record, action)
                return goesOn
            }
            try await queries.yieldIfNeeded()
        }
    }

    /// Visits records and their actions backwards, down to the one after `end`, until the closure returns `false`.
    /// - Parameter make: extracts the data of a record to visit.
    func walkBack<Element>(
        from last: UInt64, downTo end: UInt64, _ queries: isolated QueryExecutor,
        _ make: (HeaderFields, App.Action?) -> Element, _ body: (Element) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var last = last
        // Usually the newest records suffice, so the first pages are small.
        var count: UInt64 = 16
        while last > end {
            let first = last - min(last - end, count) + 1
            count = min(2 * count, HistoryLimits.scanRecords)
            var page: [Element] = []
            try await walk(from: first, through: last, queries) { record, action in
                page.append(make(record, action))
                return true
            }
            for element in page.reversed() { guard try await body(element) else { return } }
            last = first - 1
        }
    }

    /// The outermost of the adjacent records, before or after a record, that belong together with it.
    /// - Parameter belong: gets two adjacent records.
    func outermost(
        from record: LoggedRecord<App>, isForward: Bool, _ queries: isolated QueryExecutor,
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

    func record(at sequence: UInt64) throws(StoreError) -> LoggedRecord<App> {
        guard let record = try records(from: sequence, through: sequence).first else {
            throw .futureSequence(head: log.head.sequence)
        }
        return record
    }

    func records(from first: UInt64, through last: UInt64) throws(StoreError) -> [LoggedRecord<App>] {
        try LoggedRecord<App>.page(from: first, through: last, in: log)
    }

    /// Visits records and their actions up to `last`, at least one, until the slice is over or the closure returns `false`.
    func readSlice(
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

    /// Computes the next page of an answer on the query thread, and moves its cursor; only the first page can be refused.
    /// - Parameter exempt: the length of a query that needs no admission.
    func nextPage<Cursor: PageCursor, Page: Sendable>(
        of cursor: inout Cursor, exempt: QueryThread.Length? = nil,
        _ body: @Sendable (inout Cursor, isolated QueryExecutor) async throws(StoreError) -> Page
    ) async throws(StoreError) -> Page {
        let start = cursor
        let advance = { @Sendable (queries: isolated QueryExecutor) async throws(StoreError) -> (Page, Cursor) in
            var cursor = start
            let page = try await body(&cursor, queries)
            cursor.hasBegun = true
            return (page, cursor)
        }
        let (page, rest) =
            if let exempt {
                try await queries.perform(exempt, advance)
            } else if start.hasBegun {
                try await queries.goOn(.long, advance)
            } else {
                try await queries.admit(.long, advance)
            }
        cursor = rest
        return page
    }
}

private struct Slice {
    private let end = monotonicNanoseconds() + HistoryLimits.sliceNanoseconds

    func isOver(after record: HeaderFields) -> Bool {
        record.sequence % HistoryLimits.clockRecords == 0 && monotonicNanoseconds() >= end
    }
}
