import Terminal

/// A row of numbers as bars, as wide as a terminal.
///
/// Of more numbers than there is room for, each bar is the last of those that it stands for.
struct Plot {
    /// Lines that the highest bar takes.
    static let height = 8
    /// Columns of a terminal that doesn't tell, and of the narrowest that is drawn on.
    private static let columnsMin = 20
    // Places that are kept: far more than any terminal has columns.
    private static let placesMax = 8_192
    private static let eighths: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    // What stands at each place; of a place that has none the one before it goes on.
    private var values: [Int64?] = []
    private var isSet: [Bool] = []
    // How many places one of these stands for, once there were too many.
    private var width = 1

    /// Puts a number at a place, from 0 and not before the last one; `nil`: there is none.
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

    /// The bars, and below them what the first and the last one are of.
    func lines(columns: Int, from first: String, to last: String) -> [String] {
        let known = values.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return ["no numbers"] }
        let labels = [Digits.grouped(high), Digits.grouped(low)]
        let labelWidth = labels.map(Width.columns).max() ?? 0
        let room = max(Self.columnsMin, columns) - labelWidth - 3
        let count = min(values.count, max(1, room))
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

    // In eighths of a line; the lowest number still has one.
    private static func level(_ value: Int64?, _ low: Int64, _ high: Int64) -> Int? {
        guard let value else { return nil }
        guard low < high else { return height * 4 }
        let share = (Double(value) - Double(low)) / (Double(high) - Double(low))
        return 1 + Int((share * Double(height * 8 - 1)).rounded())
    }
}
