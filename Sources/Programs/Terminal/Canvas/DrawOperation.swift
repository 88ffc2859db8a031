/// A step that leads from what a screen shows to what it is to show.
public enum DrawOperation: Sendable, Equatable {
    /// An empty screen of a size.
    case clear(Size)
    /// Cells of one row, from a place on; never half of a wide character.
    case run([Cell], at: Position)
    /// Shows the cursor at a place, or hides it.
    case cursor(Position?)
}

extension Canvas {
    // To pass over fewer cells than this costs more bytes than to draw them again.
    private static let gapMax = 4

    /// What leads from another canvas, or an unknown screen, to this one: only what differs.
    public func operations(from previous: Canvas?) -> [DrawOperation] {
        guard let previous, previous.size == size else {
            let empty = Canvas(size)
            return [.clear(size)] + operations(from: empty)
        }
        var operations: [DrawOperation] = []
        for row in 0..<size.rows {
            for columns in changed(in: row, from: previous) {
                operations.append(.run(columns.map { self[$0, row] }, at: Position(column: columns.lowerBound, row: row)))
            }
        }
        if cursor != previous.cursor { operations.append(.cursor(cursor)) }
        return operations
    }

    /// This canvas after some steps.
    public func applying(_ operations: [DrawOperation]) -> Canvas {
        var canvas = self
        for operation in operations {
            switch operation {
            case .clear(let size): canvas = Canvas(size)
            case .run(let cells, let start):
                for (offset, cell) in cells.enumerated() { canvas.set(cell, at: start.column + offset, start.row) }
            case .cursor(let cursor): canvas.cursor = cursor
            }
        }
        return canvas
    }

    // The columns of a row that are to be drawn.
    private func changed(in row: Int, from previous: Canvas) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var column = 0
        while column < size.columns {
            let (cell, before) = (self[column, row], previous[column, row])
            let next = column + max(cell.width, 1)
            defer { column = next }
            let isWideChanged = cell.width == 2 && self[column + 1, row] != previous[column + 1, row]
            guard cell != before || isWideChanged else { continue }
            // Where a terminal draws more than one expects, what stands there is drawn behind it.
            let end = end(of: max(next, column + max(cell.columnsUnjoined, before.columnsUnjoined)), row)
            if let last = ranges.last, column - last.upperBound <= Self.gapMax {
                ranges[ranges.count - 1] = last.lowerBound..<max(end, last.upperBound)
            } else {
                ranges.append(column..<end)
            }
        }
        return ranges
    }

    // A border that is not within a wide character.
    private func end(of column: Int, _ row: Int) -> Int {
        guard column < size.columns else { return size.columns }
        return self[column, row].width == 0 ? column + 1 : column
    }
}
