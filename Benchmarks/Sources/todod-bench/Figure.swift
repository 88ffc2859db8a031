import Foundation

/// Numbers for people: three significant digits, thousands apart.
enum Figure {
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let magnitude = abs(value)
        if magnitude >= 1000 { return grouped(Int(value.rounded())) }
        let digits = magnitude >= 100 || value == value.rounded() ? 0 : magnitude >= 10 ? 1 : 2
        return String(format: "%.\(digits)f", value)
    }

    /// The middle of some figures; of an even number the higher of the two.
    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        return values.sorted()[values.count / 2]
    }

    private static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(abs(value)).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }
}
