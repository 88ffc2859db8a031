/// A displayed character and its number of columns, at least 1.
struct Glyph: Equatable {
    var text: String
    var width: Int

    // Limits stacked combining marks; the longest emoji in use has ten scalars.
    private static let scalarsMax = 16

    init(text: String, width: Int) {
        self.text = text
        self.width = width
    }

    /// A character that is already escaped.
    init(_ character: Character) {
        let scalars = character.unicodeScalars
        let text = String(String.UnicodeScalarView(scalars.prefix(Self.scalarsMax)))
        // Dropped scalars take no columns.
        let columns = scalars.count > Self.scalarsMax ? Width.columns(text) : Width.columns(of: character)
        // A combining mark without a base would join the cell before it.
        self.init(text: columns == 0 ? "\u{25CC}" + text : text, width: max(columns, 1))
    }
}

extension Cell {
    /// Whether terminals may advance the cursor differently for it.
    ///
    /// This holds for joined characters, variation selectors, emoji, and scalars whose width is recent or has changed, because
    /// terminals use width tables of different Unicode versions.
    var isUncertain: Bool {
        let bytes = text.utf8
        guard bytes.count > 1 else { return false }
        let scalars = text.unicodeScalars
        guard scalars.count == 1, let scalar = scalars.first else { return true }
        return Width.isDisputed(scalar)
    }

    /// Whether terminals may draw fewer columns for it, so that old content would remain visible.
    var mayLeaveGaps: Bool { isUncertain && (width > 1 || text.unicodeScalars.first.map(Width.isDisputed) ?? false) }

    /// Columns on a terminal that joins no scalars.
    var columnsUnjoined: Int {
        guard isUncertain else { return width }
        return max(width, text.unicodeScalars.reduce(0) { $0 + Width.columnsMax(of: $1) })
    }
}
