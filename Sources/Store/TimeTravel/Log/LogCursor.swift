public import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions

/// Read position of a log query.
public struct LogCursor<App: Feature>: Sendable {
    let query: LogQuery
    let filter: LogFilter
    /// The unread range; `nil`: none.
    var rest: ClosedRange<UInt64>?
    // An edit run that may continue.
    private var run: LogEntry<App>?
    private var left: Int
    var hasBegun = false
    /// The matching records that are still to be read, in query order.
    var pending: ArraySlice<UInt64> = []
    var stepsLeft = HistoryLimits.expressionStepsMax
    /// The sequence of the state that was cached to continue from.
    var kept: UInt64?

    init(_ query: LogQuery, _ range: ClosedRange<UInt64>?) {
        self.query = query
        filter = LogFilter(query)
        rest = range
        left = max(query.limit, 0)
    }

    /// Whether another page may have entries.
    public var hasMore: Bool { left > 0 && (rest != nil || run != nil || !pending.isEmpty) }

    /// Whether the limit is not reached yet.
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

    mutating func pass(_ range: ClosedRange<UInt64>) {
        guard let rest else { return }
        switch query.order {
        case .forward: self.rest = range.upperBound < rest.upperBound ? range.upperBound + 1...rest.upperBound : nil
        case .reverse: self.rest = range.lowerBound > rest.lowerBound ? rest.lowerBound...range.lowerBound - 1 : nil
        }
    }

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

    /// Adds an entry; returns the one that it completes.
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
