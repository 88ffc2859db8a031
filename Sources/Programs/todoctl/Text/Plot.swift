import Terminal

/// A bar chart of numbers, as wide as the terminal.
///
/// If there are more numbers than columns, each bar shows the last number of its range.
struct Plot {
    static let height = 8
    /// Minimum width for narrow and unknown terminals.
    private static let columnsMin = 20
    // More positions than any terminal has columns.
    private static let placesMax = 8_192
    private static let eighths: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    // The number at each position; a missing one repeats the previous.
    private var values: [Int64?] = []
    private var isSet: [Bool] = []
    // Positions per value, once there are too many.
    private var width = 1

    /// Sets the number at a position, in ascending order; `nil` means no value.
    mutating func put(_ value: Int64?, at place: Int) {
        while place / width >= Self.placesMax { halve() }
        let index = place / width
        while values.count <= index {
            values.append(values.last ?? nil)
            isSet.append(false)
        }
        values[index] = value
        isSet[index] = true
    }

    private mutating func halve() {
        var halved: [Int64?] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            halved.append(index + 1 < values.count && isSet[index + 1] ? values[index + 1] : values[index])
        }
        isSet = stride(from: 0, to: isSet.count, by: 2).map { isSet[$0] || $0 + 1 < isSet.count && isSet[$0 + 1] }
        values = halved
        width *= 2
    }

    func lines(columns: Int, from first: String, to last: String) -> [String] {
        let known = values.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return ["no numbers"] }
        let labels = [Digits.grouped(high), Digits.grouped(low)]
        let labelWidth = labels.map(Width.columns).max() ?? 0
        let space = max(Self.columnsMin, columns) - labelWidth - 3
        let count = min(values.count, max(1, space))
        let bars = (0..<count).map { bar in Self.level(values[(bar + 1) * values.count / count - 1], low, high) }
        var lines: [String] = []
        for row in (0..<Self.height).reversed() {
            let label = row == Self.height - 1 ? labels[0] : row == 0 && low != high ? labels[1] : ""
            let cells = bars.map { level -> Character in
                guard let level, level > row * 8 else { return " " }
                return Self.eighths[min(level - row * 8, 8) - 1]
            }
            lines.append(String(repeating: " ", count: labelWidth - Width.columns(label)) + label + " │" + String(cells))
        }
        let gap = max(2, count - Width.columns(first) - Width.columns(last))
        let range = first == last ? first : first + String(repeating: " ", count: gap) + last
        return lines + [String(repeating: " ", count: labelWidth + 2) + range]
    }

    // Height in eighths of a row; the lowest number has one.
    private static func level(_ value: Int64?, _ low: Int64, _ high: Int64) -> Int? {
        guard let value else { return nil }
        guard low < high else { return height * 4 }
        let share = (Double(value) - Double(low)) / (Double(high) - Double(low))
        return 1 + Int((share * Double(height * 8 - 1)).rounded())
    }
}

enum Digits {
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
    }

    /// `12,345`.
    static func grouped(_ number: some BinaryInteger) -> String {
        var text = ""
        let digits = String(number.magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `1 record`, `12,345 records`.
    ///
    /// - Parameter nouns: the plural if it does not end in s.
    static func counted(_ number: some BinaryInteger, _ noun: String, _ nouns: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
    }

    /// `1.5 GiB`.
    static func bytes(_ count: UInt64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var unit = 0
        var tenths = count * 10
        while tenths >= 10_240, unit < units.count - 1 {
            tenths /= 1024
            unit += 1
        }
        return unit == 0 ? counted(count, "byte") : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
