public import Expressions
import Records

/// A number that is asked for all along a piece of history.
public struct SeriesQuery: Sendable {
    /// After which records it is asked for.
    public enum Pace: Sendable {
        /// After the last record of each day or hour in which there is one.
        case time(LocalClock, LocalClock.Stretch)
        /// After the last record of each run of records of one step.
        case steps
        /// After every so many records of the log, and after the last one.
        case records(UInt64)
    }

    /// What gives the number.
    public var expression: Expression
    /// After which records.
    public var pace: Pace
    /// The first moment whose record is meant.
    public var from: Point?
    public var to: Point?

    public init(_ expression: Expression, every pace: Pace, from: Point? = nil, to: Point? = nil) {
        self.expression = expression
        self.pace = pace
        self.from = from
        self.to = to
    }
}

/// What an expression came to after a record.
public struct SeriesPoint: Sendable, Equatable {
    public var sequence: UInt64
    /// Its time, in microseconds since 1970.
    public var time: Int64
    /// The number; `nil` where the expression has no value.
    public var value: Int64?
}

/// What clocks show in one place, as whoever lives there says.
public struct LocalClock: Sendable {
    /// What a day is divided into.
    public enum Stretch: Sendable {
        case day, hour

        var microseconds: Int64 {
            switch self {
            case .day: 86_400_000_000
            case .hour: 3_600_000_000
            }
        }
    }

    /// How far the clocks are ahead of UTC from some time on.
    public struct Offset: Sendable {
        /// From then on, in microseconds since 1970; the first one holds before, too.
        public var from: Int64
        /// Microseconds ahead of UTC.
        public var microseconds: Int64

        public init(from: Int64, microseconds: Int64) {
            self.from = from
            self.microseconds = microseconds
        }
    }

    private let offsets: [Offset]

    /// A clock that shows UTC, or what some offsets say, in rising order.
    public init(_ offsets: [Offset] = []) {
        self.offsets = offsets.isEmpty ? [Offset(from: 0, microseconds: 0)] : offsets
    }

    /// When the day or hour ends in which a time is, in microseconds since 1970.
    ///
    /// One that is cut short or made longer, where clocks are put forward or back, ends when they show the next one. An hour that they
    /// show twice is two.
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

    private static func count(of length: Int64, in time: Int64) -> Int64 {
        time >= 0 ? time / length : (time + 1) / length - 1
    }
}
