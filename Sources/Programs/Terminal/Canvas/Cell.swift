/// What stands in one column of one row.
public struct Cell: Sendable, Hashable {
    /// The character, of one or more Unicode scalars; empty in the columns of a wide one behind the first.
    public let text: String
    /// How many columns it takes: at least 1, or 0 for the columns of a wide one behind the first.
    public let width: Int
    /// How it looks.
    public let style: Style

    /// Nothing to be seen.
    public static func blank(_ style: Style = .plain) -> Cell { Cell(text: " ", width: 1, style: style) }

    /// A column of a wide character behind the first.
    static func continuation(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style) }

    var isBlank: Bool { text == " " }

    /// Bytes, not what Unicode holds for equal: a terminal may show them otherwise.
    public static func == (one: Cell, other: Cell) -> Bool {
        one.width == other.width && one.style == other.style && one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Of what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(width)
        hasher.combine(style)
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
