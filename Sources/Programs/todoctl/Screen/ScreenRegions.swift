import Terminal

/// A part of the screen: a rectangle of cells.
struct ScreenRegion: Equatable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    /// Whether nothing can be shown in it.
    var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The first column and row behind it.
    var end: (column: Int, row: Int) { (column + width, row + height) }

    /// Whether a cell is in it.
    func contains(column: Int, row: Int) -> Bool {
        column >= self.column && column < end.column && row >= self.row && row < end.row
    }

    /// The same without a frame of some columns at the left and right.
    func inset(_ columns: Int) -> ScreenRegion {
        ScreenRegion(column: column + columns, row: row, width: max(0, width - 2 * columns), height: height)
    }
}

/// Where what stands on the screen; what there is no room for is `nil` or empty.
///
/// From above: the heading, a rule with the names of the tabs, the list and right of it the pane about the selection, a rule, the strip of time, a
/// rule, the line that is typed in or tells what happened, and the keys. The rules belong to no region.
struct ScreenRegions: Equatable {
    /// Below so many columns there is one pane, and the strip of time has two lines.
    static let panesColumnsMin = 60
    /// Lines of the strip of time, where there is room.
    static let stripRows = 4
    /// Lines of a list that is worth its frame.
    private static let listRowsMin = 6

    /// The line with counts, and at the right whether this is the present.
    var heading: ScreenRegion
    /// The rule with the names of the tabs.
    var tabs: ScreenRegion
    /// The list, without its frame.
    var list: ScreenRegion
    /// The pane about what is selected, without its frame; where there is room for two panes.
    var pane: ScreenRegion?
    /// The rule above the strip.
    var stripRule: ScreenRegion?
    /// The strip of time.
    var strip: ScreenRegion?
    /// The rule above the line that is typed in.
    var lineRule: ScreenRegion?
    /// What is typed, or what was said last.
    var line: ScreenRegion
    var keys: ScreenRegion?

    /// The column between the list and the pane.
    var divider: Int? { pane.map { $0.column - 2 } }

    init(_ size: ScreenSize) {
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
