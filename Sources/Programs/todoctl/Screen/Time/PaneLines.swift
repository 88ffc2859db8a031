/// Lines of the details pane, wrapped to its width.
struct PaneLines {
    /// Limits the rendered lines.
    private static let linesMax = 1_000

    let width: Int
    private(set) var lines: [[StyledText]] = []

    init(width: Int) { self.width = max(width, 1) }

    mutating func heading(_ text: String) {
        if !lines.isEmpty { lines.append([]) }
        lines.append([StyledText(text, .heading)])
    }

    /// Texts, each wrapped with a hanging indent.
    mutating func append(_ texts: [String], _ role: TextRole = .plain) {
        for text in texts { append(text, role) }
    }

    /// A text, wrapped with a hanging indent of two columns.
    mutating func append(_ text: String, _ role: TextRole = .plain) {
        guard lines.count < Self.linesMax else { return }
        let indent = String(text.prefix { $0 == " " }.prefix(width / 2))
        let words = String(text.drop { $0 == " " })
        let further = indent.count + 2 < width ? indent + "  " : indent
        for (index, part) in ScreenModel.wrapped(words, to: max(width - further.count, 1)).enumerated() {
            lines.append([StyledText((index == 0 ? indent : further) + part, role)])
        }
    }

    mutating func append(line: [StyledText]) { lines.append(line) }

    /// Sentences about changes, coloured by kind.
    mutating func append(sentences: [String]) {
        for sentence in sentences {
            append(sentence, sentence.hasPrefix("+ ") ? .good : sentence.hasPrefix("- ") ? .removed : .plain)
        }
    }
}

extension Paint {
    static let none = Paint(isTerminal: false) { _ in nil }
}
