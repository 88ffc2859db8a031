import Glibc
import Terminal

extension Width {
    // Where nobody says, such as for a pipe.
    private static let columnsUntold = 80

    /// How many columns the user's terminal has: $COLUMNS, or what it says itself.
    static var ofTerminal: Int {
        if let columns = Environment.variable("COLUMNS").flatMap(Int.init), (1...10_000).contains(columns) { return columns }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return columnsUntold }
        return Int(size.ws_col)
    }
}
