/// One step of the difference between two screens.
public enum DrawOperation: Sendable, Equatable {
    case clear(Size)
    /// Cells of one row from a position on; never a part of a wide character.
    case run([Cell], at: Position)
    case cursor(Position?)
}

extension Canvas {
    // Skipping fewer cells than this costs more bytes than drawing them again.
    private static let gapMax = 4

    /// The steps from another canvas, or an unknown screen, to this one.
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

    // The ranges of a row to draw. No range splits a wide character.
    private func changed(in row: Int, from previous: Canvas) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        // A terminal may draw more columns than expected, so the cells after an uncertain character are drawn again.
        var drawnEnd = 0
        var column = 0
        while column < size.columns {
            let (cell, before) = (self[column, row], previous[column, row])
            let next = column + max(cell.width, 1)
            defer { column = next }
            let isWideChanged = (column + 1..<next).contains { self[$0, row] != previous[$0, row] }
            let isChanged = cell != before || isWideChanged
            guard isChanged || column < drawnEnd else { continue }
            let columnsBefore = isChanged ? before.columnsUnjoined : 0
            drawnEnd = max(drawnEnd, column + max(cell.columnsUnjoined, columnsBefore))
            if let last = ranges.last, isCheaper(drawing: last.upperBound..<column, row) {
                ranges[ranges.count - 1] = last.lowerBound..<next
            } else {
                ranges.append(column..<next)
            }
        }
        return ranges
    }

    // Whether drawing the unchanged cells of a gap costs less than skipping them.
    private func isCheaper(drawing gap: Range<Int>, _ row: Int) -> Bool {
        gap.count <= Self.gapMax && !gap.contains { self[$0, row].isUncertain }
    }
}
