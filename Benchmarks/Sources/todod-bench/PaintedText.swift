/// What stands on a terminal, of what it was sent: enough of xterm to read what `todoctl screen` paints.
struct PaintedText {
    private(set) var rows: [[Character]]
    private var (column, row) = (0, 0)
    // What is not whole yet.
    private var rest: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// A row as a text.
    func line(_ row: Int) -> String { String(rows[row]) }

    mutating func take(_ bytes: some Sequence<UInt8>) {
        rest += bytes
        var index = 0
        while index < rest.count, let next = step(index) { index = next }
        rest.removeFirst(index)
    }

    /// Obeys what stands at a place, and answers where the next begins; `nil` when it is not whole.
    private mutating func step(_ index: Int) -> Int? {
        switch rest[index] {
        case 0x1B: return escape(index)
        case 0x0D: column = 0
        case 0x0A: row = min(row + 1, rows.count - 1)
        case 0x08: column = max(column - 1, 0)
        case ..<0x20: break
        case let byte:
            let count = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            guard index + count <= rest.count else { return nil }
            put(String(decoding: rest[index..<index + count], as: UTF8.self))
            return index + count
        }
        return index + 1
    }

    private mutating func escape(_ index: Int) -> Int? {
        guard index + 1 < rest.count else { return nil }
        switch rest[index + 1] {
        case UInt8(ascii: "["):
            guard let end = rest[(index + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
            let numbers = String(decoding: rest[index + 2..<end], as: UTF8.self).split(separator: ";").compactMap { Int($0) }
            obey(rest[end], numbers)
            return end + 1
        case UInt8(ascii: "("): return index + 3 <= rest.count ? index + 3 : nil
        default: return index + 2
        }
    }

    private mutating func obey(_ order: UInt8, _ numbers: [Int]) {
        switch order {
        case UInt8(ascii: "H"):
            row = min(max(numbers.first ?? 1, 1), rows.count) - 1
            column = min(max(numbers.count > 1 ? numbers[1] : 1, 1), rows[row].count) - 1
        case UInt8(ascii: "K"): erase(rows[row].count - column)
        case UInt8(ascii: "X"): erase(numbers.first ?? 1)
        case UInt8(ascii: "J"): self = PaintedText(columns: rows[0].count, rows: rows.count, rest)
        default: break
        }
    }

    private init(columns: Int, rows: Int, _ rest: [UInt8]) {
        self.init(columns: columns, rows: rows)
        self.rest = rest
    }

    private mutating func erase(_ count: Int) {
        for place in column..<min(column + count, rows[row].count) { rows[row][place] = " " }
    }

    private mutating func put(_ text: String) {
        guard let character = text.first, column < rows[row].count else { return }
        rows[row][column] = character
        column += 1
    }
}
