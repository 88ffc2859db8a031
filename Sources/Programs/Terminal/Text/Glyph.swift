/// A character as it is shown, and how many columns it takes: at least 1.
struct Glyph: Equatable {
    var text: String
    var width: Int

    // Marks can be heaped on a letter without end; the longest emoji that is in use has ten scalars.
    private static let scalarsMax = 16

    init(text: String, width: Int) {
        self.text = text
        self.width = width
    }

    /// A character that is made visible already.
    init(_ character: Character) {
        let scalars = character.unicodeScalars
        let text = String(String.UnicodeScalarView(scalars.prefix(Self.scalarsMax)))
        // What is left out takes no room.
        let columns = scalars.count > Self.scalarsMax ? Width.columns(text) : Width.columns(of: character)
        // A mark with nothing to stand on would stand on what the cell before it shows.
        self.init(text: columns == 0 ? "\u{25CC}" + text : text, width: max(columns, 1))
    }
}

extension Cell {
    /// Whether terminals may disagree about how far they move on for it, so that where the cursor stands after it is not known.
    ///
    /// What is joined or varied is so; emoji, of which every year brings some that a terminal has not heard of; and whatever else came to
    /// Unicode not so long ago, or has had another width since, because a terminal goes by the tables of its own year.
    var isUncertain: Bool {
        let bytes = text.utf8
        guard bytes.count > 1 else { return false }
        let scalars = text.unicodeScalars
        guard scalars.count == 1, let scalar = scalars.first else { return true }
        return Width.isDisputed(scalar)
    }

    /// Whether terminals may draw less for it than its columns, or nothing at all, so that what was there before stayed.
    var mayLeaveGaps: Bool { isUncertain && (width > 1 || text.unicodeScalars.first.map(Width.isDisputed) ?? false) }

    /// How many columns it takes on a terminal that joins nothing.
    var columnsUnjoined: Int {
        guard isUncertain else { return width }
        return max(width, text.unicodeScalars.reduce(0) { $0 + Width.columnsMax(of: $1) })
    }
}
