/// A place on the screen; the first column and the first row are 0.
public struct Position: Sendable, Hashable {
    /// Columns from the left.
    public var column: Int
    /// Rows from the top.
    public var row: Int

    /// A place.
    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// How much room there is.
public struct Size: Sendable, Hashable {
    /// Never negative, and at most `sideMax`.
    public let columns: Int
    /// Never negative, and at most `sideMax`.
    public let rows: Int

    /// No screen is wider or higher: what a terminal says of itself is not believed beyond it.
    public static let sideMax = 1000

    /// A size; what is out of bounds becomes the nearest that is not.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 0), Self.sideMax)
        self.rows = min(max(rows, 0), Self.sideMax)
    }
}

/// A rectangle of a screen, or beyond it.
public struct Area: Sendable, Hashable {
    /// The column of its left side.
    public var column: Int
    /// Its first row.
    public var row: Int
    /// How many columns it has.
    public var columns: Int
    /// How many rows it has.
    public var rows: Int

    /// A rectangle.
    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    /// The whole of a screen.
    public init(_ size: Size) { self.init(column: 0, row: 0, columns: size.columns, rows: size.rows) }

    /// Whether a place is in it, such as that of the mouse.
    public func contains(_ position: Position) -> Bool {
        position.column >= column && position.column - column < columns && position.row >= row && position.row - row < rows
    }

    /// What both have in common.
    public func intersection(_ other: Area) -> Area {
        let (left, top) = (max(column, other.column), max(row, other.row))
        let right = min(column + columns, other.column + other.columns)
        let bottom = min(row + rows, other.row + other.rows)
        return Area(column: left, row: top, columns: right - left, rows: bottom - top)
    }
}
