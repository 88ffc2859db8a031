/// Encodes drawing steps as bytes for a terminal.
///
/// Tracks the cursor and the style to send neither twice. Sends the cursor position again after characters whose width differs
/// between terminals.
public struct DrawEncoder: Sendable {
    private let terminal: TerminalDescription
    private let depth: ColourDepth
    private let encoded: @Sendable (String) -> [UInt8]
    private var size = Size(columns: 0, rows: 0)
    private var position: Position?
    private var style: Style?
    private var isCursorShown = false
    private var bytes: [UInt8] = []
    private var styles: [Style: [UInt8]] = [:]

    // Fewer blanks are shorter than the sequence that erases them.
    private static let erasedMin = 10

    /// Creates an encoder for a terminal in an unknown state.
    ///
    /// - Parameter encoded: the bytes of a character in the terminal's encoding. If they are not UTF-8 and not as many as its
    ///   columns, a question mark is sent for each column.
    public init(
        for terminal: TerminalDescription, _ depth: ColourDepth,
        encoded: @escaping @Sendable (String) -> [UInt8] = { Array($0.utf8) }
    ) {
        self.terminal = terminal
        self.depth = depth
        self.encoded = encoded
    }

    public mutating func bytes(of operations: [DrawOperation]) -> [UInt8] {
        guard !operations.isEmpty else { return [] }
        bytes.removeAll(keepingCapacity: true)
        // Restores the position of a visible cursor after drawing.
        let isCursorMoved = operations.contains { if case .cursor = $0 { true } else { false } }
        let cursor = isCursorShown && !isCursorMoved ? position : nil
        for operation in operations {
            switch operation {
            case .clear(let size):
                self.size = size
                // The terminal's current style and cursor are unknown.
                (style, isCursorShown) = (nil, true)
                hideCursor()
                set(.plain)
                send(terminal.sequence("clear"))
                position = nil
            case .run(let cells, let start): draw(cells[...], start)
            case .cursor(let cursor?): show(cursor)
            case .cursor(nil): hideCursor()
            }
        }
        if let cursor { move(to: cursor) }
        return bytes
    }

    private mutating func draw(_ cells: ArraySlice<Cell>, _ start: Position) {
        var rest = cells
        var column = start.column
        while let cell = rest.first {
            let blanks = cell.isBlank ? rest.prefix { $0 == cell }.count : 0
            if blanks >= Self.erasedMin, erase(blanks, cell.style, Position(column: column, row: start.row)) {
                rest = rest.dropFirst(blanks)
                column += blanks
                continue
            }
            rest = rest.dropFirst()
            if cell.width > 0 { put(cell, at: Position(column: column, row: start.row)) }
            column += 1
        }
    }

    // Erases blanks only in the default background, because terminals disagree about the style of erased cells.
    private mutating func erase(_ count: Int, _ style: Style, _ start: Position) -> Bool {
        guard style.background == .plain, style.traits.isDisjoint(with: [.reverse, .underline, .strike]) else { return false }
        let isRest = start.column + count == size.columns && terminal.has("el")
        guard isRest || terminal.has("ech") else { return false }
        move(to: start)
        set(.plain)
        send(isRest ? terminal.sequence("el") : terminal.sequence("ech", count))
        return true
    }

    private mutating func put(_ cell: Cell, at start: Position) {
        move(to: start)
        set(cell.style)
        if cell.mayLeaveGaps {
            // Some terminals draw it narrower or not at all, so old content is cleared first.
            send(String(repeating: " ", count: cell.width))
            position = nil
            move(to: start)
        }
        send(cell)
        let next = Position(column: start.column + cell.width, row: start.row)
        // Terminals also disagree about the cursor after the last column.
        position = cell.isUncertain || next.column >= size.columns ? nil : next
    }

    private mutating func send(_ cell: Cell) {
        if cell.text.utf8.count == 1 { return bytes.append(contentsOf: cell.text.utf8) }
        let text = encoded(cell.text)
        let isFitting = text.count == cell.width || text.contains { $0 >= 0x80 }
        bytes.append(contentsOf: isFitting ? text : Array(repeating: UInt8(ascii: "?"), count: cell.width))
    }

    private mutating func move(to target: Position) {
        guard position != target else { return }
        send(terminal.sequence("cup", target.row, target.column))
        position = target
    }

    private mutating func set(_ style: Style) {
        guard self.style != style else { return }
        self.style = style
        let sequence = styles[style] ?? Array(terminal.sequence(for: style, depth).utf8)
        styles[style] = sequence
        bytes.append(contentsOf: sequence)
    }

    private mutating func show(_ cursor: Position) {
        guard (0..<size.columns).contains(cursor.column), (0..<size.rows).contains(cursor.row) else { return hideCursor() }
        move(to: cursor)
        if !isCursorShown { send(terminal.sequence("cnorm")) }
        isCursorShown = true
    }

    private mutating func hideCursor() {
        if isCursorShown { send(terminal.sequence("civis")) }
        isCursorShown = false
    }

    private mutating func send(_ sequence: String) { bytes.append(contentsOf: sequence.utf8) }
}

extension TerminalDescription {
    /// The sequence that sets a style, whatever was set before.
    func sequence(for style: Style, _ depth: ColourDepth) -> String {
        var (traits, colours) = (style.traits, "")
        if depth == .none {
            if style.background != .plain { traits.insert(.reverse) }
            if style.tint == .faint { traits.insert(.dim) }
        } else if let (background, ink) = style.background.colours {
            colours = sequence(of: ink, depth, "setaf", 38) + sequence(of: background, depth, "setab", 48)
        } else if style.tint == .faint, depth == .eight {
            traits.insert(.dim)
        } else if let colour = style.tint.colour {
            colours = sequence(of: colour, depth, "setaf", 38)
        }
        let named: [(Style.Traits, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.reverse, "rev"), (.underline, "smul"), (.strike, "smxx"),
        ]
        return sequence("sgr0") + named.filter { traits.contains($0.0) }.map { sequence($0.1) }.joined() + colours
    }

    private func sequence(of colour: PaletteColour, _ depth: ColourDepth, _ name: String, _ direct: Int) -> String {
        switch depth {
        case .none: ""
        case .eight: sequence(name, colour.basic)
        case .indexed: sequence(name, colour.index)
        case .direct: "\u{1B}[\(direct);2;\(colour.red);\(colour.green);\(colour.blue)m"
        }
    }
}
