import Chronicle
import Dates
import TodoAPI

/// The last writers of the selection's values, one line each with a cursor; or the history of one value.
struct BlamePane {
    struct Line: Equatable {
        var path: String
        var value: String
        var record: UInt64
        var time: Int64
        var origin: UInt32
        var sentence: String
    }

    /// The path in question: `todos.items[12]`, or one of its values for a history.
    let path: String
    let at: UInt64?
    /// Whether the lines are the history of one value instead of the last writers of all.
    let isHistory: Bool
    private(set) var lines: [Line] = []
    private(set) var isKnown = false
    private(set) var notes: [String] = []
    var selected = 0

    init(path: String, at: UInt64?, isHistory: Bool = false) { (self.path, self.at, self.isHistory) = (path, at, isHistory) }

    var call: ScreenCall {
        let point = at.map { Point(sequence: $0) }
        let input = BlameMethod.Input(path: path, at: point, history: isHistory ? true : nil, all: isHistory ? nil : true)
        return ScreenCall(BlameMethod.self, input, over: .own, more: true)
    }

    var restarted: BlamePane { BlamePane(path: path, at: at, isHistory: isHistory) }

    mutating func take(_ answer: BlameMethod.Output, isLast: Bool) {
        let records = Dictionary(answer.records.map { ($0.sequence, $0) }) { $1 }
        for origin in answer.origins {
            guard let record = records[origin.sequence] else { continue }
            let value = origin.new?["value"].map { Tree.compact($0, of: origin.path) } ?? "none"
            lines.append(
                Line(
                    path: origin.path, value: value, record: origin.sequence, time: record.time, origin: record.origin,
                    sentence: RecordSentence(record).text))
        }
        if answer.cut == true { notes.append("Older writers are not shown.") }
        if let base = answer.base { notes.append("Values set up to @\(base) are no longer in the log.") }
        guard isLast else { return }
        isKnown = true
        if isHistory { lines.reverse() }
    }

    var selectedLine: Line? { lines.indices.contains(selected) ? lines[selected] : nil }

    mutating func move(_ difference: Int) { selected = min(max(selected + difference, 0), max(lines.count - 1, 0)) }

    private func name(_ path: String) -> String {
        let rest = path.hasPrefix(self.path) ? path.dropFirst(self.path.count).drop { $0 == "." } : path[...]
        return Visible.text(rest.isEmpty ? path : String(rest))
    }

    func shown(width: Int, zone: Zone, today: Day, uid: UInt32) -> (pane: PaneLines, selected: Range<Int>) {
        var pane = PaneLines(width: width)
        pane.append((isHistory ? "History of " : "Who set ") + Visible.text(path), .bold)
        var selected = 0..<0
        if lines.isEmpty { pane.append(isKnown ? "Never changed since the log began." : "…", .dim) }
        for (index, line) in lines.enumerated() {
            let begin = pane.lines.count
            let moment = zone.moment(at: line.time / 1_000_000)
            let when = Due(minuteOf: moment).brief(on: today)
            pane.append((isHistory ? "→ " : name(line.path) + ": ") + line.value, index == self.selected ? .bold : .plain)
            pane.append("  @\(line.record) \(when) \(LogSentences.who(line.origin, uid)): \(line.sentence)", .dim)
            if index == self.selected { selected = begin..<pane.lines.count }
        }
        if isKnown { pane.append(notes, .dim) }
        pane.append(line: [])
        pane.append("Enter goes to its record" + (isHistory ? "" : "; h: its history") + "; Esc closes this.", .dim)
        return (pane, selected)
    }
}
