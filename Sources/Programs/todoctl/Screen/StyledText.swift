import Terminal

/// The role of a text on the screen; `Style.of` maps it to a style.
enum TextRole: Hashable {
    case plain, dim, bold, heading, overdue, due, high, priority, tag, done
    /// Recently changed by another client.
    case flash
    case marked, good, failure, warning
    /// The frame; `past` marks frames and titles of the past.
    case frame
    case past, added, removed, changed, live
}

struct StyledText: Equatable {
    var text: String
    var role: TextRole

    init(_ text: String, _ role: TextRole = .plain) { (self.text, self.role) = (text, role) }
}

extension Style {
    static func of(_ role: TextRole) -> Style {
        switch role {
        // The most frequent roles need no style changes, which saves bytes.
        case .plain, .due: .plain
        case .dim, .frame: Style(.faint)
        case .bold: Style(.plain, on: .plain, .bold)
        case .heading: Style(.blue, on: .plain, .bold)
        case .overdue, .high: Style(.red)
        case .priority: Style(.yellow)
        case .tag: Style(.magenta)
        case .done: Style(.faint, on: .plain, .strike)
        case .flash: Style(.plain, on: .changed)
        case .marked: Style(.yellow, on: .plain, .bold)
        case .good, .live: Style(.green)
        case .failure: Style(.red, on: .plain, .bold)
        case .warning: Style(.yellow, on: .plain, .bold)
        case .past: Style(.plain, on: .past)
        case .added: Style(.green, on: .plain, .bold)
        case .removed: Style(.red, on: .plain, .strike)
        case .changed: Style(.yellow, on: .plain, .bold)
        }
    }

    static func selected(_ role: TextRole) -> Style { of(role).on(.chosen) }
}

extension Canvas {
    /// Puts texts next to each other in a line of a region, cut at its border.
    ///
    /// - Parameter isSelected: whether the cursor is on the line.
    mutating func put(_ spans: [StyledText], _ region: ScreenRegion, line: Int, isSelected: Bool = false) {
        guard (0..<region.height).contains(line), region.width > 0 else { return }
        let row = region.row + line
        if isSelected { clear(Area(column: region.column, row: row, columns: region.width, rows: 1), .selected(.plain)) }
        var column = region.column
        for span in spans {
            let space = region.end.column - column
            guard space > 0 else { return }
            let text = Visible.text(span.text)
            let columns = Width.columns(text)
            let shown = columns > space ? Width.cut(text, to: space) : text
            column = put(shown, at: column, row: row, width: space, isSelected ? .selected(span.role) : .of(span.role))
        }
    }

    mutating func put(right spans: [StyledText], _ region: ScreenRegion, line: Int, isSelected: Bool = false) {
        let columns = spans.reduce(0) { $0 + Width.columns(Visible.text($1.text)) }
        guard columns <= region.width else { return put(spans, region, line: line, isSelected: false) }
        let end = ScreenRegion(column: region.end.column - columns, row: region.row, width: columns, height: region.height)
        var column = end.column
        for span in spans {
            let space = region.end.column - column
            column = put(
                Visible.text(span.text), at: column, row: region.row + line, width: space,
                isSelected ? .selected(span.role) : .of(span.role))
        }
    }

    /// Draws a horizontal rule with an optional title and junctions.
    ///
    /// - Parameter corners: the characters at the left end, at `column` and at the right end.
    mutating func rule(
        _ region: ScreenRegion, _ title: [StyledText] = [], role: TextRole = .frame,
        corners: (left: String, middle: String, right: String)? = nil,
        at column: Int? = nil
    ) {
        guard !region.isEmpty else { return }
        put([StyledText(String(repeating: "─", count: region.width), role)], region, line: 0)
        if let corners, let column {
            put(corners.left, at: region.column, row: region.row, .of(role))
            put(corners.middle, at: column, row: region.row, .of(role))
            put(corners.right, at: region.end.column - 1, row: region.row, .of(role))
        }
        if !title.isEmpty { put([StyledText(" ", role)] + title + [StyledText(" ", role)], region.inset(1), line: 0) }
    }
}
