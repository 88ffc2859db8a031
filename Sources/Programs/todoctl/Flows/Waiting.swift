import Dates

/// How long a question waits, as people write it: `90s`, `30min`, `2h`, `1d`.
enum Waiting {
    /// The seconds of a time; `nil` for what is none, or none that passes by the clock.
    static func seconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), 1...TimeShift.countMax ~= count,
            let unit = TimeShift.Unit(text.dropFirst(digits.count))
        else { return nil }
        return unit == .day ? Int64(count) * 86_400 : TimeShift(count: count, unit: unit).seconds
    }
}
