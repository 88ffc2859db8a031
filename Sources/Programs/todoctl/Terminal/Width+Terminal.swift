import Terminal

extension Width {
    /// $COLUMNS, or the width that the terminal reports.
    static var ofTerminal: Int {
        if let columns = Environment.variable("COLUMNS").flatMap(Int.init), (1...10_000).contains(columns) { return columns }
        return Size.ofTerminal.columns
    }
}
