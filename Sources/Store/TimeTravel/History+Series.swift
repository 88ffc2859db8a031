public import Chronicle
import ChronicleLog
public import ChronicleStore
public import Expressions
import Synchronization

extension History where App.Action: ValueConvertible {
    public func series(_ query: SeriesQuery) async throws(StoreError) -> SeriesCursor<App> {
        let records = try await range(from: query.from, to: query.to)
        return SeriesCursor(query: query, rest: records.isEmpty ? nil : ClosedRange(records))
    }

    /// The next points: at most `Limits.pageRecordsMax`; fewer, or none, after `HistoryLimits.pageNanosecondsMax`.
    /// - Throws: `tooManySteps` for more than `HistoryLimits.expressionStepsMax` evaluation steps in all.
    public func page(of cursor: inout SeriesCursor<App>) async throws(StoreError) -> [SeriesPoint] {
        try await nextPage(of: &cursor) { (cursor, queries) async throws(StoreError) in try await self.points(&cursor, queries) }
    }

    private func points(
        _ cursor: inout SeriesCursor<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [SeriesPoint] {
        guard let rest = cursor.rest else { return [] }
        let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
        var past = try await past(at: rest.lowerBound - 1, queries)
        var sampler = Sampler<App>(cursor, through: rest.upperBound)
        repeat {
            sampler.goal = try goal(of: cursor.query.pace, after: past.sequence, through: rest.upperBound)
            if let goal = sampler.goal, let nearer = try await nearer(past, to: goal, &cursor, queries) {
                past = nearer
                sampler.jump(to: past)
            }
            try await scan(
                &past, through: sampler.goal ?? rest.upperBound, &sampler, &cursor.stepsLeft, until: end, queries)
        } while past.sequence < rest.upperBound && sampler.points.count < Limits.pageRecordsMax
            && monotonicNanoseconds() < end
        (cursor.step, cursor.told) = (sampler.step, sampler.told)
        cursor.rest = past.sequence < rest.upperBound ? past.sequence + 1...rest.upperBound : nil
        if cursor.rest != nil {
            keep(&past, insteadOf: cursor.kept)
            cursor.kept = past.sequence
        }
        return sampler.points
    }

    /// The record of the next point, if known without reading the records between; `nil` also for a short distance.
    private func goal(of pace: SeriesQuery.Pace, after sequence: UInt64, through last: UInt64) throws(StoreError) -> UInt64? {
        switch pace {
        case .steps: return nil
        case .records(let count):
            guard count > HistoryLimits.shortFoldRecords else { return nil }
            return last - sequence > count - sequence % count ? sequence + (count - sequence % count) : last
        case .time(let clock, let stretch):
            let end = clock.end(of: stretch, at: try time(of: sequence + 1))
            return try StoreError.reading { () throws(ActionLogError) in
                min(last, max(sequence + 1, try log.sequence(atOrBefore: end == .max ? .max : end - 1)))
            }
        }
    }

    /// A cached state closer to a sequence, if loading it is faster than folding.
    private func nearer(
        _ past: PastState<App>, to goal: UInt64, _ cursor: inout SeriesCursor<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> PastState<App>? {
        guard goal - past.sequence > HistoryLimits.shortFoldRecords else { return nil }
        if let present = present(at: goal) { return present }
        let redactions = log.redactions.count
        guard cursor.usesFiles, let file = await loader.newestFile(in: past.sequence + 1...goal),
            file.bytes / HistoryLimits.snapshotBytesPerRecord < file.sequence - past.sequence
        else { return nil }
        var found = await loader.newest(in: past.sequence + 1...goal) { self.cache.withLock { $0.removeLarge() } }
        try await queries.yieldIfNeeded()
        found?.redactions = redactions
        if found != nil { counting.withLock { $0.decoded += 1 } } else { cursor.usesFiles = false }
        return found
    }
}

public struct SeriesCursor<App: Feature>: PageCursor, Sendable {
    let query: SeriesQuery
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

    public var hasMore: Bool { rest != nil }

    /// The last record scanned; `nil`: all.
    public var reached: UInt64? { rest.map { $0.lowerBound - 1 } }
}

/// Evaluates a number at the records of a pace.
private struct Sampler<App: Feature>: RecordVisitor where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let query: SeriesQuery
    private let last: UInt64
    var goal: UInt64?
    private(set) var step: UInt64?
    private(set) var told: UInt64?
    private(set) var points: [SeriesPoint] = []
    private var tracker: ExpressionTracker<App>?
    private var (sequence, time): (UInt64, Int64) = (0, 0)
    // Steps of earlier trackers.
    private var stepsBefore = 0

    init(_ cursor: SeriesCursor<App>, through last: UInt64) {
        (query, step, told, self.last) = (cursor.query, cursor.step, cursor.told, last)
    }

    var steps: Int { stepsBefore + (tracker?.steps ?? 0) }

    mutating func visit(_ past: inout PastState<App>, _ record: HeaderFields, _ action: App.Action?) -> Bool? {
        if case .steps = query.pace {
            // A step ends at the record before one of another step.
            if let step, step != record.step, past.sequence != told {
                let goesOn = take(past)
                if goesOn != true { return goesOn }
            }
            step = record.step
        }
        past.apply(action, of: record)
        let isPoint =
            switch query.pace {
            case .time: past.sequence == goal
            case .records(let count): past.sequence % count == 0 || past.sequence == last
            case .steps: past.sequence == last
            }
        return isPoint ? take(past) : true
    }

    /// Continues from a state that shares nothing with the previous one.
    mutating func jump(to past: PastState<App>) {
        stepsBefore = steps
        tracker = nil
        if past.sequence == goal { _ = take(past) }
    }

    private mutating func take(_ past: borrowing PastState<App>) -> Bool? {
        (sequence, time) = (past.sequence, past.time)
        if tracker == nil {
            tracker = ExpressionTracker(query.expression, in: copy past)
        } else if tracker?.follow(past) == false {
            return addPoint()
        }
        return goOn()
    }

    mutating func goOn() -> Bool? {
        guard tracker?.isPending == true else { return true }
        return tracker?.advance() == nil ? nil : addPoint()
    }

    private mutating func addPoint() -> Bool {
        points.append(SeriesPoint(sequence: sequence, time: time, value: tracker?.number))
        told = sequence
        return points.count < Limits.pageRecordsMax
    }
}

/// A query for the values of a number over a range of history.
public struct SeriesQuery: Sendable {
    /// The records after which the number is evaluated.
    public enum Pace: Sendable {
        /// After the last record of each day or hour that has one.
        case time(LocalClock, LocalClock.Stretch)
        /// After each run of records of one step.
        case steps
        /// After every n-th record, and after the last one.
        case records(UInt64)
    }

    public var expression: Expression
    public var pace: Pace
    /// The first point whose record is included.
    public var from: Point?
    public var to: Point?

    public init(_ expression: Expression, every pace: Pace, from: Point? = nil, to: Point? = nil) {
        (self.expression, self.pace, self.from, self.to) = (expression, pace, from, to)
    }
}

public struct SeriesPoint: Sendable, Equatable {
    public var sequence: UInt64
    /// The time of the record, in microseconds since 1970.
    public var time: Int64
    /// The number; `nil` if the expression has no value.
    public var value: Int64?
}

public struct LocalClock: Sendable {
    public enum Stretch: Sendable {
        case day, hour

        var microseconds: Int64 {
            switch self {
            case .day: 86_400_000_000
            case .hour: 3_600_000_000
            }
        }
    }

    /// The offset of local time from UTC, from a time on.
    public struct Offset: Sendable {
        /// Start, in microseconds since 1970; the first offset applies before, too.
        public var from: Int64
        /// Microseconds ahead of UTC.
        public var microseconds: Int64

        public init(from: Int64, microseconds: Int64) { (self.from, self.microseconds) = (from, microseconds) }
    }

    private let offsets: [Offset]

    /// UTC, or a clock with these offsets in ascending order.
    public init(_ offsets: [Offset] = []) { self.offsets = offsets.isEmpty ? [Offset(from: 0, microseconds: 0)] : offsets }

    /// The end of the day or hour that contains a time, in microseconds since 1970; at a clock change, a repeated hour counts as two.
    func end(of stretch: Stretch, at time: Int64) -> Int64 {
        let length = stretch.microseconds
        var index = offsets.lastIndex { $0.from <= time } ?? 0
        let shown = Self.count(of: length, in: time.adding(clamping: offsets[index].microseconds))
        while true {
            let (next, overflows) = (shown + 1).multipliedReportingOverflow(by: length)
            guard !overflows else { return .max }
            let end = next.subtracting(clamping: offsets[index].microseconds)
            guard index + 1 < offsets.count, offsets[index + 1].from <= end else { return end }
            index += 1
            let shownThen = offsets[index].from.adding(clamping: offsets[index].microseconds)
            if Self.count(of: length, in: shownThen) > shown || shownThen % length == 0 { return offsets[index].from }
        }
    }

    private static func count(of length: Int64, in time: Int64) -> Int64 { time >= 0 ? time / length : (time + 1) / length - 1 }
}
