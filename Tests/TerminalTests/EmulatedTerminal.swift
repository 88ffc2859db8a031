import Terminal

/// An emulation of the sequences of xterm that are sent.
///
/// Anything else is recorded as unknown.
struct EmulatedTerminal {
    /// How the terminal measures joined characters and variations.
    enum Habit: CaseIterable {
        /// The same as this program.
        case agreeing
        /// Draws the parts of a joined character one after the other.
        case unjoined
        /// Draws hearts and all other emoji narrow, with or without a variation selector.
        case narrow
        /// Draws nothing for recent Unicode characters, and hexagrams narrow.
        case older
    }

    private(set) var rows: [[String]]
    private(set) var strange: [String] = []
    private let habit: Habit
    private var (column, row) = (0, 0)
    /// Whether the cursor is visible.
    private(set) var isCursorShown = false

    init(_ size: Size, _ habit: Habit) {
        rows = Array(repeating: Array(repeating: "?", count: size.columns), count: size.rows)
        self.habit = habit
    }

    /// The position of the cursor.
    var cursor: Position { Position(column: column, row: row) }

    mutating func take(_ bytes: [UInt8]) {
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        while let character = rest.first {
            guard character == "\u{1B}" else {
                rest.removeFirst()
                put(character)
                continue
            }
            guard let end = rest.firstIndex(where: { $0 != "\u{1B}" && $0 != "[" && $0 != "(" && ($0.isLetter) }) else { break }
            obey(String(rest[rest.index(after: rest.startIndex)...end]))
            rest = rest[rest.index(after: end)...]
        }
    }

    private mutating func obey(_ order: String) {
        let numbers = order.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
        switch (order, order.last) {
        case ("(B", _), (_, "m"): break
        case ("[?25l", _): isCursorShown = false
        case ("[?25h", _), ("[?12l", _), ("[?12h", _): isCursorShown = true
        case (_, "H"): (row, column) = numbers.isEmpty ? (0, 0) : ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case (_, "K"): erase(rows[row].count - column)
        case (_, "X"): erase(numbers.first ?? 1)
        case (_, "J"): rows = rows.map { $0.map { _ in " " } }
        default: strange.append(order)
        }
    }

    private mutating func erase(_ count: Int) {
        for column in column..<min(column + count, rows[row].count) { clear(column) }
    }

    private mutating func put(_ character: Character) {
        let text = String(character)
        let scalars = character.unicodeScalars
        switch habit {
        case .agreeing: write(text, max(Width.columns(text), 1))
        case .unjoined where scalars.contains { $0 == "\u{200D}" || (0x1F1E6...0x1F1FF).contains($0.value) }:
            for scalar in scalars where scalar != "\u{200D}" { write(String(scalar), Width.columns(String(scalar))) }
        case .narrow where scalars.contains { $0.value >= 0x1F000 || $0.value == 0xFE0F }: write(text, 1)
        case .older where Scribble.recent.contains(character): if character == "\u{4DC0}" { write(text, 1) }
        default: write(text, max(Width.columns(text), 1))
        }
    }

    // Without wrapping, further characters stay in the last column.
    private mutating func write(_ text: String, _ width: Int) {
        guard width > 0 else { return }
        if column + width > rows[row].count { column = rows[row].count - width }
        guard column >= 0 else {
            column = 0
            return
        }
        for column in column..<column + width { clear(column) }
        rows[row][column] = text
        for column in column + 1..<column + width { rows[row][column] = "" }
        column = min(column + width, rows[row].count)
        // The cursor stays in the last column, with or without a pending wrap.
        if column == rows[row].count { column -= 1 }
    }

    // A part of a wide character is erased.
    private mutating func clear(_ column: Int) {
        var (start, end) = (column, column + 1)
        while start > 0, rows[row][start] == "" { start -= 1 }
        while end < rows[row].count, rows[row][end] == "" { end += 1 }
        for column in start..<end { rows[row][column] = " " }
    }
}
