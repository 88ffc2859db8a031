/// A text in visual order from left to right.
///
/// Most terminals don't reorder right-to-left text, and those that do would mix it with neighbouring text on the row. Follows
/// UAX #9 for a left-to-right paragraph without embeddings, which are escaped: reverses right-to-left runs, keeps numbers, and
/// mirrors brackets.
struct VisualText {
    private(set) var glyphs: [Glyph]
    private(set) var isCut = false

    /// Clips the text to a number of columns.
    init(_ text: String, columnsMax: Int) {
        glyphs = []
        glyphs.reserveCapacity(min(text.utf8.count, columnsMax))
        // ASCII takes one column per byte and needs no reordering.
        guard text.utf8.contains(where: { !(0x20..<0x7F).contains($0) }) else {
            isCut = text.utf8.count > columnsMax
            for character in text.prefix(columnsMax) { glyphs.append(Glyph(text: String(character), width: 1)) }
            return
        }
        var (columns, directions): (Int, [Direction]) = (0, [])
        for character in HiddenScalars.shown(in: text) {
            let glyph = Glyph(character)
            guard columns + glyph.width <= columnsMax else {
                isCut = true
                break
            }
            columns += glyph.width
            glyphs.append(glyph)
            directions.append(Direction(of: character))
        }
        guard directions.contains(where: { $0 == .right || $0 == .rightNumber }) else { return }
        reorder(Self.levels(of: directions))
    }

    // Embedding levels: even is left-to-right, odd is right-to-left, 2 is a number within right-to-left text.
    private static func levels(of directions: [Direction]) -> [Int] {
        var directions = directions
        joinNumbers(&directions)
        // Neutral characters take the direction of their neighbours where both agree.
        var (levels, strong, pending): ([Int], Direction, Int) = ([], .left, 0)
        var before = Direction.left
        for direction in directions {
            if direction == .left || direction == .right { strong = direction }
            let isNumber = direction == .number && strong == .right || direction == .rightNumber
            guard direction != .neutral, direction != .separator, direction != .unit else {
                pending += 1
                continue
            }
            let side: Direction = direction == .right || isNumber ? .right : .left
            levels += Array(repeating: side == .right && before == .right ? 1 : 0, count: pending)
            levels.append(isNumber ? 2 : side == .right ? 1 : 0)
            (before, pending) = (side, 0)
        }
        return levels + Array(repeating: 0, count: pending)
    }

    // A separator between two digits, and a unit beside one, belong to the number.
    private static func joinNumbers(_ directions: inout [Direction]) {
        for index in directions.indices where directions[index] == .separator {
            guard index > 0, index + 1 < directions.count else { continue }
            let (before, after) = (directions[index - 1], directions[index + 1])
            if before == after, before == .number || before == .rightNumber { directions[index] = before }
        }
        for indices in [Array(directions.indices), directions.indices.reversed()] {
            var before = Direction.neutral
            for index in indices {
                if directions[index] == .unit, before == .number { directions[index] = .number }
                before = directions[index]
            }
        }
    }

    private mutating func reorder(_ levels: [Int]) {
        var start = 0
        while start < levels.count {
            guard levels[start] > 0 else {
                start += 1
                continue
            }
            let end = levels[start...].firstIndex(of: 0) ?? levels.count
            var turned: [Glyph] = []
            var index = end
            while index > start {
                index -= 1
                guard levels[index] == 2 else {
                    turned.append(glyphs[index].mirrored)
                    continue
                }
                let last = index
                while index > start, levels[index - 1] == 2 { index -= 1 }
                turned += glyphs[index...last]
            }
            glyphs.replaceSubrange(start..<end, with: turned)
            start = end
        }
    }

    private enum Direction {
        case left, right, number, rightNumber, separator, unit, neutral

        init(of character: Character) {
            guard let scalar = character.unicodeScalars.first else {
                self = .neutral
                return
            }
            self =
                switch scalar.value {
                case 0x30...0x39, 0x6F0...0x6F9: .number
                case 0x660...0x669: .rightNumber
                case 0x2B...0x2F, 0x3A: .separator
                case 0x23...0x25, 0xA2...0xA5, 0xB0, 0xB1, 0x20A0...0x20CF: .unit
                case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: .right
                default: scalar.properties.isAlphabetic ? .left : .neutral
                }
        }
    }
}

extension Glyph {
    fileprivate var mirrored: Glyph {
        guard text.utf8.count <= 2, let mirror = Self.mirrors[text] else { return self }
        return Glyph(text: mirror, width: width)
    }

    private static let mirrors = [
        "(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "<": ">", ">": "<", "«": "»", "»": "«",
    ]
}

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
