/// The date formats of feeds and HTTP headers, parsed to microseconds since 1970.
enum FeedDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let zones = ["est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7]

    /// Parses `Wed, 02 Oct 2002 13:00:00 GMT` (RFC 822, years with two or four digits).
    static func microseconds(ofMail text: String) -> Int64? {
        var words = text.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }.map { Substring($0).lowercased() }
        if let first = words.first, Int64(first) == nil { words.removeFirst() }
        guard words.count >= 4, words.count <= 5, let day = Int64(words[0]), var year = Int64(words[2]),
            let month = months.firstIndex(of: String(words[1].prefix(3))), let time = timeOfDay(words[3])
        else { return nil }
        if words[2].count == 2 { year += year < 70 ? 2000 : 1900 }
        guard let zone = words.count == 5 ? minutes(ofZone: words[4]) : 0 else { return nil }
        return microseconds(year, Int64(month) + 1, day, time - zone * 60_000_000)
    }

    /// Parses `2003-12-13T18:30:02.25+01:00` (RFC 3339).
    static func microseconds(ofInternet text: String) -> Int64? {
        let text = text.lowercased()
        guard let middle = text.utf8.firstIndex(where: { $0 == UInt8(ascii: "t") || $0 == 0x20 }) else { return nil }
        let date = text[..<middle].split(separator: "-", omittingEmptySubsequences: false)
        let rest = text[text.utf8.index(after: middle)...]
        guard date.count == 3, let year = number(date[0]), let month = number(date[1]), let day = number(date[2]),
            let zoneStart = rest.utf8.firstIndex(where: {
                $0 == UInt8(ascii: "z") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
            }),
            let time = timeOfDay(String(rest[..<zoneStart])), let zone = minutes(ofZone: String(rest[zoneStart...]))
        else { return nil }
        return microseconds(year, month, day, time - zone * 60_000_000)
    }

    private static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// Microseconds since midnight of `13:00`, `13:00:02` or `13:00:02.25`.
    private static func timeOfDay(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0]), let minute = number(parts[1]), hour < 24,
            minute < 60
        else { return nil }
        var time = (hour * 60 + minute) * 60_000_000
        guard parts.count == 3 else { return time }
        let seconds = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        // 60 is a leap second.
        guard let second = number(seconds[0]), second <= 60 else { return nil }
        time += second * 1_000_000
        guard seconds.count == 2 else { return time }
        guard !seconds[1].isEmpty, number(seconds[1].prefix(18)) != nil else { return nil }
        return number((seconds[1] + "00000").prefix(6)).map { time + $0 }
    }

    /// The offset from UTC in minutes.
    private static func minutes(ofZone text: String) -> Int64? {
        if ["z", "gmt", "ut", "utc"].contains(text) { return 0 }
        if let hours = zones[text] { return Int64(hours) * 60 }
        let sign: Int64 = text.hasPrefix("-") ? -1 : 1
        let digits = text.dropFirst().filter { $0 != ":" }
        guard text.hasPrefix("-") || text.hasPrefix("+"), digits.utf8.count == 4, let value = number(digits), value / 100 < 24,
            value % 100 < 60
        else { return nil }
        return sign * (value / 100 * 60 + value % 100)
    }

    /// A moment of the Gregorian calendar; `nil` if the date does not exist or is outside the years 1 to 9999.
    private static func microseconds(_ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64) -> Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Count years from March, so that the leap day is the last day.
        let shifted = month > 2 ? year : year - 1
        let month = (month + 9) % 12
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
        return days * 86_400_000_000 + time
    }
}
