/// The content of one column in one row.
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
