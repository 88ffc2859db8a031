import Dates

enum FormatTime {
    static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// Rounds down to seconds and clamps to ``range``.
    static func seconds(_ microseconds: Int64) -> Int64 {
        let microseconds = min(max(microseconds, range.lowerBound), range.upperBound)
        let rest = microseconds % 1_000_000
        return (microseconds - rest) / 1_000_000 - (rest < 0 ? 1 : 0)
    }

    /// Formats seconds since 1970 as `20261201T133000Z`.
    static func basic(_ seconds: Int64) -> String {
        let (first, last) = (range.lowerBound / 1_000_000, range.upperBound / 1_000_000)
        let moment = utc.moment(at: min(max(seconds, first), last))
        let digits = moment.text.filter { $0.isASCII && $0.isNumber }
        return "\(digits.prefix(8))T\(digits.dropFirst(8))Z"
    }

    /// Formats microseconds since 1970 as `2026-12-01T13:30:00Z`, with a fraction if needed.
    static func iso(_ microseconds: Int64) -> String {
        let seconds = seconds(microseconds)
        let fraction = range.contains(microseconds) ? microseconds - seconds * 1_000_000 : 0
        let text = utc.moment(at: seconds).text.replacing(" ", with: "T")
        return fraction == 0 ? text + "Z" : "\(text).\(String(String(fraction + 1_000_000).dropFirst()))Z"
    }

    /// Parses an ISO 8601 day or time to microseconds since 1970; without an offset it is in `zone`.
    static func microseconds(iso text: String, in zone: Zone) -> Int64? {
        guard let day = Day(iso: text.prefix(10)) else { return nil }
        var rest = text.dropFirst(10)
        guard !rest.isEmpty else { return zone.instant(day, 0) * 1_000_000 }
        guard let parting = rest.popFirst(), parting == "T" || parting == " " || parting == "t" else { return nil }
        let end = rest.firstIndex { "Z+-z".contains($0) } ?? rest.endIndex
        guard let (second, fraction) = clock(rest[..<end]) else { return nil }
        guard end < rest.endIndex else { return zone.instant(day, second) * 1_000_000 + fraction }
        guard let offset = offset(rest[end...]) else { return nil }
        return (Int64(day.number) * 86_400 + Int64(second - offset)) * 1_000_000 + fraction
    }

    /// Parses an ISO 8601 day or minute as a due date; a time with an offset is converted to `zone`.
    static func due(iso text: String, in zone: Zone) -> Due? {
        let text = text.replacing(" ", with: "T")
        if let due = Due(text: text) { return due }
        guard text.utf8.count > 10 else { return nil }
        return microseconds(iso: text, in: zone).map { Due(minuteOf: zone.moment(at: seconds($0))) }
    }

    static let utc = Zone { _ in 0 }

    private static func clock(_ text: Substring) -> (second: Int, microseconds: Int64)? {
        let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0]), let minute = number(parts[1]), hour < 24,
            minute < 60
        else { return nil }
        var second = 0
        if parts.count == 3 {
            guard let read = number(parts[2]), read < 61 else { return nil }
            second = min(read, 59)
        }
        var fraction: Int64 = 0
        if halves.count == 2 {
            let digits = halves[1].utf8.prefix(6)
            guard parts.count == 3, !digits.isEmpty, halves[1].utf8.allSatisfy(DateWords.isDigit) else { return nil }
            for digit in digits { fraction = fraction * 10 + Int64(digit - UInt8(ascii: "0")) }
            for _ in digits.count..<6 { fraction *= 10 }
        }
        return (hour * 3600 + minute * 60 + second, fraction)
    }

    /// `Z`, `+01:00`, `-0330`, in seconds.
    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" || text == "z" { return 0 }
        let digits = text.dropFirst().replacing(":", with: "")
        guard digits.utf8.count == 4, let hours = number(digits.prefix(2)), let minutes = number(digits.suffix(2)), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (text.hasPrefix("-") ? -1 : 1)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count == 2 && text.utf8.allSatisfy(DateWords.isDigit) ? Int(text) : nil
    }
}

/// A time without separators: `20261201`, `20261201T143000`, `20261201T133000Z`.
struct BasicTime {
    let day: Day
    /// The second of the day; `nil` for a day without a time.
    let second: Int?
    let isUTC: Bool

    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard [8, 15, 16].contains(bytes.count), let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[4..<6]),
            let date = Self.number(bytes[6..<8]), let day = Day(year: year, month: month, day: date)
        else { return nil }
        self.day = day
        isUTC = bytes.count == 16
        guard bytes.count > 8 else {
            second = nil
            return
        }
        guard bytes[8] == UInt8(ascii: "T"), bytes.count == 15 || bytes[15] == UInt8(ascii: "Z"),
            let hour = Self.number(bytes[9..<11]), let minute = Self.number(bytes[11..<13]),
            let rest = Self.number(bytes[13..<15]), hour < 24, minute < 60, rest < 61
        else { return nil }
        second = hour * 3600 + minute * 60 + min(rest, 59)
    }

    /// Seconds since 1970; `zone` applies if the time is not UTC.
    func seconds(in zone: Zone) -> Int64 { (isUTC ? FormatTime.utc : zone).instant(day, second ?? 0) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(DateWords.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
