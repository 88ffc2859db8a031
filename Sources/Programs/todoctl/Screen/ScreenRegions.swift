import Terminal

struct ScreenRegion: Equatable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    var isEmpty: Bool { width <= 0 || height <= 0 }

    var end: (column: Int, row: Int) { (column + width, row + height) }

    func contains(column: Int, row: Int) -> Bool {
        column >= self.column && column < end.column && row >= self.row && row < end.row
    }

    func inset(_ columns: Int) -> ScreenRegion {
        ScreenRegion(column: column + columns, row: row, width: max(0, width - 2 * columns), height: height)
    }
}

/// The layout of the screen; regions that don't fit are `nil` or empty.
///
/// From the top: heading, tabs, list with the details pane at its right, time strip, prompt or message, footer. Rules separate
/// them.
struct ScreenRegions: Equatable {
    /// Narrower screens have no pane, and a time strip of two lines.
    static let panesColumnsMin = 60
    /// Lines of the time strip on large screens.
    static let stripRows = 4
    private static let listRowsMin = 6

    var heading: ScreenRegion
    var tabs: ScreenRegion
    var list: ScreenRegion
    var pane: ScreenRegion?
    var stripRule: ScreenRegion?
    var strip: ScreenRegion?
    var lineRule: ScreenRegion?
    var line: ScreenRegion
    var keys: ScreenRegion?

    var divider: Int? { pane.map { $0.column - 2 } }

    init(_ size: Size) {
        let (columns, rows) = (max(size.columns, 0), max(size.rows, 0))
        func lines(_ row: Int, _ count: Int) -> ScreenRegion {
            ScreenRegion(column: 0, row: row, width: columns, height: max(0, count))
        }
        heading = lines(0, min(1, rows))
        tabs = lines(1, rows > 2 ? 1 : 0)
        let isWide = columns >= Self.panesColumnsMin
        let keysRows = rows >= 8 ? 1 : 0
        let lineRow = rows - keysRows - 1
        line = lines(max(lineRow, 0), rows > 1 ? 1 : 0)
        keys = keysRows > 0 ? lines(rows - 1, 1) : nil
        let first = tabs.end.row
        var last = max(lineRow, first)
        let wanted = isWide ? Self.stripRows : 2
        let rules = isWide ? 2 : 1
        if last - first >= wanted + rules + Self.listRowsMin {
            if isWide {
                last -= 1
                lineRule = lines(last, 1)
            }
            last -= wanted
            strip = lines(last, wanted)
            last -= 1
            stripRule = lines(last, 1)
        }
        list = ScreenRegion(column: 0, row: first, width: columns, height: max(0, last - first))
        guard isWide else { return }
        let paneWidth = min(max(columns * 45 / 100 - 1, 26), 64)
        pane = ScreenRegion(column: columns - paneWidth - 1, row: first, width: paneWidth, height: list.height).inset(1)
        list = ScreenRegion(column: 1, row: first, width: columns - paneWidth - 3, height: list.height)
    }
}
