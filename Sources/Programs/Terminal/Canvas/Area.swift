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

    /// Clamps both sides to 0...`sideMax`.
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
