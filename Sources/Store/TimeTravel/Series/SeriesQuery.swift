import ChronicleLog
public import Expressions

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

    /// The expression that yields the number.
    public var expression: Expression
    /// The records after which to evaluate it.
    public var pace: Pace
    /// The first point whose record is included.
    public var from: Point?
    public var to: Point?

    public init(_ expression: Expression, every pace: Pace, from: Point? = nil, to: Point? = nil) {
        self.expression = expression
        self.pace = pace
        self.from = from
        self.to = to
    }
}

/// A value of an expression after a record.
public struct SeriesPoint: Sendable, Equatable {
    public var sequence: UInt64
    /// The time of the record, in microseconds since 1970.
    public var time: Int64
    /// The number; `nil` if the expression has no value.
    public var value: Int64?
}

/// The local time of one place.
public struct LocalClock: Sendable {
    /// A period of local time.
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

        public init(from: Int64, microseconds: Int64) {
            self.from = from
            self.microseconds = microseconds
        }
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
