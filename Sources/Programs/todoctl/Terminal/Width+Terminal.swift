import Terminal

extension Width {
    /// How many columns the user's terminal has: $COLUMNS, or what it says itself.
    static var ofTerminal: Int {
        if let columns = Environment.variable("COLUMNS").flatMap(Int.init), (1...10_000).contains(columns) { return columns }
        return Size.ofTerminal.columns
    }
}
