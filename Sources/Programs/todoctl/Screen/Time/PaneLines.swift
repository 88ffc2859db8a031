import Chronicle

struct PaneLines {
    private static let linesMax = 1_000

    let width: Int
    private(set) var lines: [[StyledText]] = []

    init(width: Int) { self.width = max(width, 1) }

    mutating func heading(_ text: String) {
        if !lines.isEmpty { lines.append([]) }
        lines.append([StyledText(text, .heading)])
    }

    mutating func append(_ texts: [String], _ role: TextRole = .plain) {
        for text in texts { append(text, role) }
    }

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

    mutating func append(sentences: [String]) {
        for sentence in sentences {
            append(sentence, sentence.hasPrefix("+ ") ? .good : sentence.hasPrefix("- ") ? .removed : .plain)
        }
    }
}

extension Paint {
    static let none = Paint(isTerminal: false) { _ in nil }
}

struct PinnedDifference {
    static let changesMax = 2_000

    let pinned: UInt64
    let moment: UInt64
    private(set) var changes: [Change] = []
    private(set) var marks: [Int64: TodoMark] = [:]
    private(set) var count = 0
    private(set) var isKnown = false

    init(pinned: UInt64, moment: UInt64) { (self.pinned, self.moment) = (pinned, moment) }

    mutating func take(_ more: [Change], isLast: Bool) {
        count += more.count
        if changes.count < Self.changesMax { changes += more }
        for change in more where change.path == "todos.items" {
            guard let id = change.id else { continue }
            switch change.kind {
            case .insert: marks[id] = marks[id] == .removed ? .changed : .added
            case .remove: marks[id] = .removed
            case .replace, .move: if marks[id] == nil { marks[id] = .changed }
            case .set: break
            }
        }
        isKnown = isLast
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        pane.append("From @\(pinned) to @\(moment)", .bold)
        guard isKnown else {
            pane.append("…", .dim)
            return pane
        }
        let told = ChangeSummary(changes: changes, paint: .none).lines
        pane.append(sentences: told.isEmpty ? ["No difference."] : told)
        if count > changes.count { pane.append("and \(Digits.counted(count - changes.count, "more change"))", .dim) }
        return pane
    }
}
