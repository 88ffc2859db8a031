import ChronicleLog
import Glibc
import LinuxService
import TimeTravel

/// The last record to restore: a record, the last one up to a time, or the one that a bookmark names.
enum RestorePoint: Sendable, Equatable {
    case sequence(UInt64)
    /// In microseconds since 1970.
    case time(Int64)
    case bookmark(String)

    // From here on, a number is a time: no log has this many records, and as a time it is in March 1973.
    private static let timeMin: UInt64 = 100_000_000_000_000

    /// Parses `1234`, `1795251600123456`, `2026-11-20T14:00:05.5+01:00`, or a bookmark name.
    ///
    /// A day, minute or second means its end. Without an offset, the local time zone applies.
    init(_ text: String) throws(StartFailure) {
        if let number = UInt64(text), text.first != "+" {
            self = number < Self.timeMin ? .sequence(number) : .time(Int64(clamping: number))
        } else if let time = Self.microseconds(text) {
            self = .time(time)
        } else if (try? BookmarkName(text)) != nil {
            self = .bookmark(text)
        } else {
            throw StartFailure(
                .usage, "“\(text)” is not a point: give a record (1234), a time (2026-11-20T14:00:05Z) or the name of a bookmark."
            )
        }
    }

    /// Resolves the point in a log; a time after the last record means the last record.
    func sequence(in log: any ActionLog) throws(StartFailure) -> UInt64 {
        guard let found = try reading({ () throws(ActionLogError) -> UInt64? in try found(in: log) }) else {
            let names = try reading { () throws(ActionLogError) -> [String] in try log.bookmarks().map(\.name) }
            let others = names.isEmpty ? "" : "; it has \(names.joined(separator: ", "))"
            throw StartFailure(.usage, "The backup has no such bookmark\(others).")
        }
        guard found <= log.head.sequence else {
            throw StartFailure(.usage, "The backup ends at record \(log.head.sequence), before \(found).")
        }
        if let base = log.base, found < base.sequence || isBefore(base) {
            throw StartFailure(
                .usage,
                base.archive.map { "The records up to \(base.sequence) were compacted, and are in the archive \($0)." }
                    ?? "The log of the backup begins after record \(base.sequence).")
        }
        return found
    }

    private func found(in log: any ActionLog) throws(ActionLogError) -> UInt64? {
        switch self {
        case .sequence(let sequence): sequence
        case .time(let time): try log.sequence(atOrBefore: time)
        case .bookmark(let name): try log.bookmark(name)?.sequence
        }
    }

    private func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(StartFailure) -> Value {
        do { return try body() } catch { throw StartFailure(.damagedData, "\(error).") }
    }

    private func isBefore(_ base: Base) -> Bool { if case .time(let time) = self { time < base.time } else { false } }

    private static func microseconds(_ text: String) -> Int64? {
        let form = /(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?([Zz]|[+-]\d\d:?\d\d)?)?/
        guard let (_, year, month, day, hour, minute, second, fraction, zone) = text.wholeMatch(of: form)?.output else {
            return nil
        }
        let number = { (digits: Substring?) -> Int32 in digits.flatMap { Int32($0) } ?? 0 }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(year) - 1900, number(month) - 1, number(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(hour), number(minute), number(second))
        // timegm normalizes an invalid date to a different valid one.
        var same = parts
        guard timegm(&same) >= 0, same.tm_mday == parts.tm_mday, same.tm_hour == parts.tm_hour, same.tm_min == parts.tm_min else {
            return nil
        }
        parts.tm_isdst = -1
        let seconds = zone == nil ? mktime(&parts) : timegm(&parts) - offset(of: zone ?? "")
        let begin = Int64(seconds) * 1_000_000
        if let fraction { return begin + Int64(number(fraction + String(repeating: "0", count: 6 - fraction.count))) }
        let length: Int64 = hour == nil ? 86_400_000_000 : second == nil ? 60_000_000 : 1_000_000
        return begin + length - 1
    }

    private static func offset(of zone: Substring) -> Int {
        guard let number = Int(zone.filter(\.isNumber)) else { return 0 }
        return (number / 100 * 60 + number % 100) * (zone.hasPrefix("-") ? -60 : 60)
    }

    /// Formats a time in microseconds since 1970: `2026-11-20T14:00:05Z`.
    static func text(_ time: Int64) -> String {
        var seconds = time_t(time / 1_000_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(time)" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
