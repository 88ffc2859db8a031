import Terminal
import TestSupport

/// Random canvases.
struct Scribble {
    private var random: SeededGenerator

    init(_ seed: UInt64) { random = SeededGenerator(seed) }

    static let texts = [
        "a", "milk", "Buy the milk #home", "日", "日本語", "🥛", "👩‍👩‍👧", "❤️", "🇩🇪", "e\u{301}", "שלום 12", "مرحبا", "─────", "\u{301}",
        "\u{1B}[2J", "ｶﾞ",
        "          ", "                    ", "1️⃣ x", "🥛milk🥛日", "👩‍👩‍👧family❤️x", "क्षि", "हिन्दी में लिखना", "கொடு", "กำ x",
        "a\u{A7BA}b", "\u{31BB}x", "\u{1AFF0}", "\u{4DC0}",
    ]

    /// Characters that are recent in Unicode, and one that was narrow before.
    static let recent: Set<Character> = ["\u{A7BA}", "\u{31BB}", "\u{1AFF0}", "\u{4DC0}"]

    mutating func size() -> Size {
        Size(columns: Int.random(in: 1...24, using: &random), rows: Int.random(in: 1...4, using: &random))
    }

    mutating func canvas(_ size: Size) -> Canvas {
        var canvas = Canvas(size)
        for _ in 0..<Int.random(in: 0...8, using: &random) { scribble(on: &canvas) }
        return canvas
    }

    /// Changes a few cells of a canvas.
    mutating func scribble(on canvas: inout Canvas) {
        let column = Int.random(in: -3...canvas.size.columns, using: &random)
        let row = Int.random(in: 0..<canvas.size.rows, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: canvas.clear(Area(column: column, row: row, columns: 5, rows: 2), style())
        case 1: canvas.cursor = Bool.random(using: &random) ? nil : Position(column: max(column, 0), row: row)
        default: canvas.put(Self.texts.randomElement(using: &random) ?? "", at: column, row: row, style())
        }
    }

    mutating func style() -> Style {
        let tint = Style.Tint.allCases.randomElement(using: &random) ?? .plain
        let background = Style.Background.allCases.randomElement(using: &random) ?? .plain
        return Bool.random(using: &random)
            ? .plain : Style(tint, on: background, Style.Traits(rawValue: UInt8.random(in: 0..<32, using: &random)))
    }
}
