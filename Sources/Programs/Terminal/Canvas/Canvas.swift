/// What a screen shows: cells in rows and columns, as a value.
///
/// Whatever is put on it, no column breaks: a wide character has all of its columns or is not there, a text ends at the border of a
/// character, and what a terminal would obey is made visible.
public struct Canvas: Sendable, Equatable {
    public let size: Size
    /// Where the terminal's cursor stands, if one is to be seen.
    public var cursor: Position?
    private(set) var cells: [Cell]

    /// An empty one.
    public init(_ size: Size, _ style: Style = .plain) {
        self.size = size
        cells = Array(repeating: .blank(style), count: size.columns * size.rows)
    }

    /// Puts a text on a row, from a column on, and cuts what is beyond the width or the canvas.
    ///
    /// Text that is written from right to left is put in the order in which it is seen. Of a wide character for which too few columns
    /// are left, the first of them becomes blank.
    ///
    /// - Parameter width: how many columns it may take; without one all that are left.
    /// - Returns: the column behind it.
    @discardableResult
    public mutating func put(_ text: String, at column: Int, row: Int, width: Int? = nil, _ style: Style = .plain) -> Int {
        guard (0..<size.rows).contains(row), column < size.columns else { return column }
        let room = size.columns - column
        let end = column + min(max(width ?? room, 0), room)
        let seen = VisualText(text, columnsMax: end - column)
        var next = column
        for glyph in seen.glyphs {
            set(glyph, style, at: next, row)
            next += glyph.width
        }
        guard seen.isCut, next < end else { return next }
        if next >= 0 { set(.blank(style), at: next, row) }
        return end
    }

    /// Fills a rectangle with nothing.
    public mutating func clear(_ area: Area, _ style: Style = .plain) {
        let area = area.intersection(Area(size))
        for row in area.row..<area.row + area.rows {
            for column in area.column..<area.column + area.columns { set(.blank(style), at: column, row) }
        }
    }

    /// Puts another canvas on this one, and its cursor, if it has one.
    public mutating func put(_ other: Canvas, at position: Position) {
        for row in 0..<other.size.rows where (0..<size.rows).contains(row + position.row) {
            for column in 0..<other.size.columns {
                let (cell, target) = (other[column, row], column + position.column)
                switch cell.width {
                case 0: continue
                case 2... where target < 0 || target + cell.width > size.columns:
                    // Part of it is outside.
                    for part in target..<target + cell.width where (0..<size.columns).contains(part) {
                        set(.blank(cell.style), at: part, row + position.row)
                    }
                default:
                    guard (0..<size.columns).contains(target) else { continue }
                    set(Glyph(text: cell.text, width: cell.width), cell.style, at: target, row + position.row)
                }
            }
        }
        if let cursor = other.cursor {
            self.cursor = Position(column: cursor.column + position.column, row: cursor.row + position.row)
        }
    }

    /// What stands in a column of a row, both of the canvas.
    public subscript(column: Int, row: Int) -> Cell { cells[index(column, row)] }

    /// A row as text, without the spaces at its end.
    public func text(row: Int) -> String {
        var text = cells[index(0, row)..<index(0, row) + size.columns].map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// All rows as text.
    public var lines: [String] { (0..<size.rows).map { size.columns > 0 ? text(row: $0) : "" } }

    private func index(_ column: Int, _ row: Int) -> Int { row * size.columns + column }

    private mutating func set(_ glyph: Glyph, _ style: Style, at column: Int, _ row: Int) {
        // What begins left of the canvas is not seen; of a wide character the columns behind its border are blank.
        if column < 0 {
            for column in 0..<max(column + glyph.width, 0) { set(.blank(style), at: column, row) }
            return
        }
        set(Cell(text: glyph.text, width: glyph.width, style: style), at: column, row)
    }

    /// Sets a cell, and with the first one of a wide character all of it; what was a wide character there loses its other columns as well.
    mutating func set(_ cell: Cell, at column: Int, _ row: Int) {
        // The first one has set it already.
        guard cell.width > 0 else { return }
        let index = index(column, row)
        for place in index..<index + cell.width { takeAway(wideAt: place) }
        cells[index] = cell
        for place in index + 1..<index + cell.width { cells[place] = .continuation(cell.style) }
    }

    // Makes the columns of a wide character blank, where one stands.
    private mutating func takeAway(wideAt index: Int) {
        guard cells[index].width != 1 else { return }
        var start = index
        while cells[start].width == 0 { start -= 1 }
        for place in start..<start + cells[start].width { cells[place] = .blank(cells[place].style) }
    }
}
