public import Chronicle
import ChronicleLog
public import ChronicleStore

public struct LogCursor<App: Feature>: PageCursor, Sendable {
    let query: LogQuery
    let filter: LogFilter
    var rest: ClosedRange<UInt64>?
    // An edit run that may continue.
    private var run: LogEntry<App>?
    private var left: Int
    var hasBegun = false
    /// The matching records that are still to be read, in query order.
    var pending: ArraySlice<UInt64> = []
    var stepsLeft = HistoryLimits.expressionStepsMax
    /// The steps of the condition after which a record counts as a match, in a filter that follows a log; `nil`: another query.
    let matchStepsMax: Int?
    /// The sequence of the state that was cached to continue from.
    var kept: UInt64?

    init(_ query: LogQuery, _ range: ClosedRange<UInt64>?, matchStepsMax: Int? = nil) {
        self.query = query
        self.matchStepsMax = matchStepsMax
        filter = LogFilter(query)
        rest = range
        left = max(query.limit, 0)
        if matchStepsMax != nil { stepsLeft = .max }
    }

    var follows: Bool { matchStepsMax != nil }

    public var hasMore: Bool { left > 0 && (rest != nil || run != nil || !pending.isEmpty) }

    var wantsMore: Bool { left > 0 }

    /// The last record read; `nil`: all.
    public var reached: UInt64? { rest.map { query.order == .forward ? $0.lowerBound - 1 : $0.upperBound + 1 } }

    func next(_ count: Int) -> ClosedRange<UInt64>? {
        guard left > 0, count > 0, let rest else { return nil }
        let length = min(rest.upperBound - rest.lowerBound, UInt64(count) - 1)
        return switch query.order {
        case .forward: rest.lowerBound...rest.lowerBound + length
        case .reverse: rest.upperBound - length...rest.upperBound
        }
    }

    mutating func pass(_ range: ClosedRange<UInt64>) { rest = rest?.rest(after: range, query.order) }

    /// Continues after a concurrent compaction; `false` if the caller specified the beginning, or if pages would miss records.
    mutating func begin(after base: UInt64) -> Bool {
        let isBehind = { (sequence: UInt64) in sequence <= base }
        guard query.from == nil, rest.map({ isBehind($0.lowerBound) }) == true || pending.contains(where: isBehind) else {
            return false
        }
        if query.order == .forward, left < query.limit || rest.map({ base > $0.upperBound }) == true { return false }
        if let run, run.last <= base { self.run = nil }
        pending.removeAll(where: isBehind)
        if let rest { self.rest = base < rest.upperBound ? max(rest.lowerBound, base + 1)...rest.upperBound : nil }
        return true
    }

    mutating func take(_ entry: LogEntry<App>) -> LogEntry<App>? {
        guard left > 0 else { return nil }
        let isTyping = query.groupsTyping && entry.isTyping
        if let run, isTyping, let joined = Self.joined(run, entry) {
            self.run = joined
            return nil
        }
        let before = finish()
        if before != nil, left == 0 { return before }
        if isTyping {
            run = entry
            return before
        }
        guard before != nil else {
            left -= 1
            return entry
        }
        // Two at once: the second one waits as a run that nothing joins.
        run = entry
        return before
    }

    /// The run, once nothing can join it.
    mutating func finish() -> LogEntry<App>? {
        guard let finished = run, left > 0 else { return nil }
        run = nil
        left -= 1
        return finished
    }

    private static func joined(_ run: LogEntry<App>, _ entry: LogEntry<App>) -> LogEntry<App>? {
        guard run.name == entry.name, run.record.header.origin == entry.record.header.origin,
            run.isTyping, run.count < UInt64(HistoryLimits.runRecordsMax)
        else { return nil }
        if entry.first == run.last + 1 { return LogEntry(first: run.first, record: entry.record, name: run.name) }
        if entry.last + 1 == run.first { return LogEntry(first: entry.first, record: run.record, name: run.name) }
        return nil
    }
}

extension ClosedRange<UInt64> {
    /// The part that follows another part in reading order.
    func rest(after range: ClosedRange<UInt64>, _ order: LogQuery.Order) -> ClosedRange<UInt64>? {
        switch order {
        case .forward: range.upperBound < upperBound ? range.upperBound + 1...upperBound : nil
        case .reverse: range.lowerBound > lowerBound ? lowerBound...range.lowerBound - 1 : nil
        }
    }
}

/// A log record, or an edit run shown as one.
public struct LogEntry<App: Feature>: Sendable {
    public var first: UInt64
    /// The last record; its action is the result of the run.
    public var record: LoggedRecord<App>
    /// The feature and name of the action: `todos.add`; `nil` for records without one.
    public var name: String?
    /// The changes, if requested; `nil` also for more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    public var last: UInt64 { record.header.sequence }
    /// Whether it is an edit, so that more of them may join.
    public var isTyping: Bool { record.action.map(App.kind) == .edit }
    public var count: UInt64 { last - first + 1 }
}

/// The position of a filter that follows a log.
public struct FilterCursor<App: Feature>: Sendable {
    var log: LogCursor<App>
    // The last record that may be read so far.
    private var end: UInt64

    /// Begins after a sequence.
    /// - Parameters:
    ///   - query: of it, only features, actions, origin and condition are used.
    ///   - stepsMax: the steps of the condition after which a record counts as a match.
    public init(_ query: LogQuery, after sequence: UInt64, stepsMax: Int = HistoryLimits.filterStepsMax) {
        var query = query
        (query.limit, query.order, query.groupsTyping) = (.max, .forward, false)
        log = LogCursor(query, nil, matchStepsMax: stepsMax)
        end = sequence
    }

    private var scanned: UInt64 { log.reached ?? end }

    /// The record up to which all matches were returned.
    public var reached: UInt64 { log.pending.first.map { $0 - 1 } ?? scanned }

    mutating func extend(through last: UInt64) {
        let scanned = scanned
        (log.rest, end) = scanned < last ? (scanned + 1...last, last) : (nil, scanned)
    }
}
