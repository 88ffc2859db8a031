/// A grid of styled cells.
///
/// Drawing keeps the columns intact: a wide character is drawn completely or not at all, text ends at a character boundary, and
/// control characters are escaped.
public struct Canvas: Sendable, Equatable {
    public let size: Size
    public var cursor: Position?
    private(set) var cells: [Cell]

    public init(_ size: Size, _ style: Style = .plain) {
        self.size = size
        cells = Array(repeating: .blank(style), count: size.columns * size.rows)
    }

    /// Draws text on a row and clips it to the width and the canvas.
    ///
    /// Right-to-left text is put in visual order. If too few columns are left for a wide character, a blank takes its place.
    ///
    /// - Parameter width: maximum number of columns; defaults to the rest of the row.
    /// - Returns: the column after the text.
    @discardableResult
    public mutating func put(_ text: String, at column: Int, row: Int, width: Int? = nil, _ style: Style = .plain) -> Int {
        guard (0..<size.rows).contains(row), column < size.columns else { return column }
        let space = size.columns - column
        let end = column + min(max(width ?? space, 0), space)
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

    public mutating func clear(_ area: Area, _ style: Style = .plain) {
        let area = area.intersection(Area(size))
        for row in area.row..<area.row + area.rows {
            for column in area.column..<area.column + area.columns { set(.blank(style), at: column, row) }
        }
    }

    public subscript(column: Int, row: Int) -> Cell { cells[index(column, row)] }

    /// A row as text, without trailing spaces.
    public func text(row: Int) -> String {
        var text = cells[index(0, row)..<index(0, row) + size.columns].map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    public var lines: [String] { (0..<size.rows).map { size.columns > 0 ? text(row: $0) : "" } }

    private func index(_ column: Int, _ row: Int) -> Int { row * size.columns + column }

    private mutating func set(_ glyph: Glyph, _ style: Style, at column: Int, _ row: Int) {
        // A glyph that starts left of the canvas is not drawn. The columns of a wide one that are inside become blank.
        if column < 0 {
            for column in 0..<max(column + glyph.width, 0) { set(.blank(style), at: column, row) }
            return
        }
        set(Cell(text: glyph.text, width: glyph.width, style: style), at: column, row)
    }

    /// Sets a cell; the first cell of a wide character sets all its columns.
    ///
    /// Blanks the other columns of an overwritten wide character.
    mutating func set(_ cell: Cell, at column: Int, _ row: Int) {
        // The first cell has already set the continuation.
        guard cell.width > 0 else { return }
        let index = index(column, row)
        for place in index..<index + cell.width { eraseWideCharacter(at: place) }
        cells[index] = cell
        for place in index + 1..<index + cell.width { cells[place] = .continuation(cell.style) }
    }

    // Blanks all columns of a wide character at this index.
    private mutating func eraseWideCharacter(at index: Int) {
        guard cells[index].width != 1 else { return }
        var start = index
        while cells[start].width == 0 { start -= 1 }
        for place in start..<start + cells[start].width { cells[place] = .blank(cells[place].style) }
    }
}

public struct Cell: Sendable, Hashable {
    /// One character of one or more Unicode scalars; empty in the continuation columns of a wide character.
    public let text: String
    /// Number of columns: at least 1, or 0 for a continuation column.
    public let width: Int
    public let style: Style

    public static func blank(_ style: Style = .plain) -> Cell { Cell(text: " ", width: 1, style: style) }

    static func continuation(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style) }

    var isBlank: Bool { text == " " }

    /// Compares bytes instead of canonical equivalence, because terminals may draw equivalent strings differently.
    public static func == (one: Cell, other: Cell) -> Bool {
        one.width == other.width && one.style == other.style && one.text.utf8.elementsEqual(other.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(width)
        hasher.combine(style)
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// A cell position; the first column and the first row are 0.
public struct Position: Sendable, Hashable {
    public var column: Int
    public var row: Int

    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A size in cells; both sides are clamped to 0...`sideMax`.
public struct Size: Sendable, Hashable {
    public let columns: Int
    public let rows: Int

    /// Upper bound for the size that a terminal reports.
    public static let sideMax = 1000

    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 0), Self.sideMax)
        self.rows = min(max(rows, 0), Self.sideMax)
    }
}

public struct Area: Sendable, Hashable {
    public var column: Int
    public var row: Int
    public var columns: Int
    public var rows: Int

    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    public init(_ size: Size) { self.init(column: 0, row: 0, columns: size.columns, rows: size.rows) }

    public func contains(_ position: Position) -> Bool {
        position.column >= column && position.column - column < columns && position.row >= row && position.row - row < rows
    }

    public func intersection(_ other: Area) -> Area {
        let (left, top) = (max(column, other.column), max(row, other.row))
        let right = min(column + columns, other.column + other.columns)
        let bottom = min(row + rows, other.row + other.rows)
        return Area(column: left, row: top, columns: right - left, rows: bottom - top)
    }
}
