/// Lines of the pane at the right: pieces of text that are wrapped to its width.
struct PaneLines {
    /// So many lines are made at most; nobody scrolls farther.
    private static let linesMax = 1_000

    let width: Int
    private(set) var lines: [[StyledText]] = []

    init(width: Int) { self.width = max(width, 1) }

    /// A heading, with a blank line above it.
    mutating func heading(_ text: String) {
        if !lines.isEmpty { lines.append([]) }
        lines.append([StyledText(text, .heading)])
    }

    /// Texts, each wrapped by itself; what goes on in the next line is indented.
    mutating func append(_ texts: [String], _ role: TextRole = .plain) {
        for text in texts { append(text, role) }
    }

    /// A text, wrapped; what goes on in the next line is indented as far as its beginning, and two columns more.
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

    /// Changes as sentences, in the colour of what they did.
    mutating func append(sentences: [String]) {
        for sentence in sentences {
            append(sentence, sentence.hasPrefix("+ ") ? .good : sentence.hasPrefix("- ") ? .removed : .plain)
        }
    }
}

extension Paint {
    /// No colours.
    static let none = Paint(isTerminal: false) { _ in nil }
}
