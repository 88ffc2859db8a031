import Chronicle
import Dates
import TodoAPI

/// Parses moments of the log.
///
/// Accepts `1234`, `-3`, `@-3`, `start`, `now`, a bookmark, and everything that a `DateReader` for the past accepts (`yesterday
/// 9:00`, `10 minutes ago`). `~3` after any of them means three records earlier. A time may have a UTC offset (RFC 3339) or be in
/// microseconds since 1970, as the daemon writes it.
struct PointParser: Sendable {
    enum Edge: Sendable {
        /// Its first moment: for the start of a range.
        case beginning
        /// Its last moment, but not after now: for the end of a range.
        case end
        /// Its last moment, but not after now; refused if it is in the future: for a state to show.
        case moment
        /// The last moment before it, but not after now: for the end of a range that excludes it.
        case before
        /// The last moment before it; refused if it is in the future: for the start of following.
        case momentBefore
    }

    struct Reading: Sendable, Equatable {
        var point: Point
        /// The start of the named span, if the point is the moment before it.
        var beginning: Int64?
        /// The time that was understood, in microseconds since 1970, if the point is a time.
        var time: Int64? { beginning ?? point.time }
    }

    // Lower numbers are sequence numbers. As microseconds this is in March 1973.
    private static let timeMin: UInt64 = 100_000_000_000_000
    private static let numberMax = UInt64(Int64.exactMax)

    var now: Int64
    var zone: Zone
    /// The first day of the week: 0 is Sunday.
    var weekBegin = 1

    private var dates: DateReader { DateReader(now: now, zone: zone, direction: .past, weekBegin: weekBegin) }

    func point(_ text: String, edge: Edge = .beginning) throws(DateMistake) -> Reading {
        if let tilde = text.lastIndex(of: "~") {
            let digits = text[text.index(after: tilde)...].filter { !$0.isWhitespace }
            guard let count = Self.number(Substring(digits)) else { throw unknown(text) }
            var whole = try point(String(text[..<tilde]), edge: edge)
            whole.point = try whole.point.before(count)
            return whole
        }
        let words = DateWords.words(of: text)
        guard let first = words.first else { throw .init(message: "A point in time is empty.") }
        if words.count == 1 {
            if let found = try position(first, edge) { return found }
            if first.first?.isLetter == true, !MomentWords.contains(String(first)) {
                return Reading(point: Point(bookmark: String(text.filter { !$0.isWhitespace })))
            }
        }
        guard let span = try span(words) else { throw unknown(text) }
        return reading(span, edge)
    }

    func span(_ words: [Substring]) throws(DateMistake) -> Range<Int64>? {
        switch try dates.reading(words) {
        case .day(let day): zone.instant(day, 0) * 1_000_000..<zone.instant(day.adding(days: 1), 0) * 1_000_000
        case .time(let day, let clock): span(day, clock)
        case .shift(let shift): instant(after: shift).map { $0 * 1_000_000..<($0 + 1) * 1_000_000 }
        case nil: nil
        }
    }

    /// `1234`, `-3`, `@-3`, `start`, `now`, `1795251600123456`.
    private func position(_ word: Substring, _ edge: Edge) throws(DateMistake) -> Reading? {
        switch word {
        case "start", "base": return Reading(point: .start)
        case "now", "head": return Reading(point: .now)
        default: break
        }
        let number = word.hasPrefix("@") ? word.dropFirst() : word
        let digits = number.hasPrefix("-") ? number.dropFirst() : number
        guard !digits.isEmpty, digits.utf8.allSatisfy(DateWords.isDigit) else { return nil }
        guard let value = Self.number(digits) else {
            throw .init(message: "\(word) is too large for a record.")
        }
        if number.hasPrefix("-") { return Reading(point: Point(back: value)) }
        guard value >= Self.timeMin, !word.hasPrefix("@") else { return Reading(point: Point(sequence: value)) }
        let time = Int64(value)
        return reading(time..<time + 1, edge)
    }

    private static func number(_ digits: Substring) -> UInt64? {
        guard digits.first != "+", let value = UInt64(digits), value <= numberMax else { return nil }
        return value
    }

    /// The requested edge of a span, in microseconds since 1970.
    private func reading(_ span: Range<Int64>, _ edge: Edge) -> Reading {
        let (now, second): (Int64, Int64) = (now * 1_000_000, 1_000_000)
        switch edge {
        case .beginning: return Reading(point: Point(time: span.lowerBound))
        case .before where span.lowerBound > now + second: return Reading(point: .now)
        case .before, .momentBefore: return Reading(point: Point(time: span.lowerBound - 1), beginning: span.lowerBound)
        case .end where span.lowerBound >= now + second: return Reading(point: .now)
        case .end, .moment:
            // A current span ends now. A future one is refused.
            let isGoingOn = span.lowerBound < now + second && span.upperBound > now && span.count >= second
            return Reading(point: isGoingOn ? .now : Point(time: span.upperBound - 1))
        }
    }

    /// `10 minutes ago`, or the same time of another day for `a week ago`.
    private func instant(after shift: TimeShift) -> Int64? {
        if let seconds = shift.seconds { return now + seconds }
        let moment = zone.moment(at: now)
        guard let day = shift.day(after: moment.day), day.year >= 1970 else { return nil }
        return zone.instant(day, moment.second)
    }

    private func span(_ day: Day, _ clock: ClockReading) -> Range<Int64> {
        let instant =
            clock.offset.map { Int64(day.number) * 86_400 + Int64(clock.second - $0) } ?? zone.instant(day, clock.second)
        let first = instant * 1_000_000 + clock.microsecond
        return first..<first + clock.length
    }

    private func unknown(_ text: String) -> DateMistake {
        .init(
            message: "I don't understand the point in time “\(text)”. "
                + "Try 1234, @-3, “2026-11-20 14:00”, “yesterday 9:00”, “10 minutes ago”, start, now or the name of a bookmark.")
    }
}

extension Point {
    /// Moves the point back by a number of records.
    fileprivate func before(_ count: UInt64) throws(DateMistake) -> Point {
        if let sequence {
            guard count <= sequence else { throw .init(message: "\(sequence)~\(count) comes before everything.") }
            return Point(sequence: sequence - count)
        }
        if let back { return Point(back: back + count) }
        if self == .now { return Point(back: count) }
        var point = self
        point.before = (before ?? 0) + count
        return point
    }
}

/// A range of records: `40..57`, or `40` alone.
///
/// The daemon checks that the records exist and are in order.
struct RangeWords {
    let first, last: String

    init(_ text: String) throws(Failure) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(ends.count), let first = ends.first, let last = ends.last, !first.isEmpty, !last.isEmpty else {
            throw Self.failure(text)
        }
        (self.first, self.last) = (first, last)
    }

    static func failure(_ text: String) -> Failure {
        Failure(
            .usage, "\(Visible.text(text)) is not a range of records: expected N or N..M, such as 40..57.")
    }
}
