import Chronicle
import Dates
import Terminal
import TodoAPI

struct RecordPane {
    /// `nil` before the first record.
    var record: RecordMessage?
    /// `nil` if they exceed the daemon's reply limit.
    var changes: [Change]?
    var why: WhyMethod.Output?
    var titles: [Int64: String] = [:]
    var zone: Zone
    var uid: UInt32

    var sentence: String {
        record.map { RecordSentence($0, changes, titles: titles).text } ?? "before the first record"
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        guard let record else {
            pane.append("Before the first record: nothing has happened yet.", .dim)
            return pane
        }
        let moment = zone.moment(at: record.time / 1_000_000)
        let number = "@\(record.sequence)  "
        let isWide = Width.columns(number) + Width.columns(moment.long) <= width
        pane.append(line: [StyledText(number, .bold), StyledText(isWide ? moment.long : Due(minuteOf: moment).short, .dim)])
        pane.append("\(LogSentences.who(record.origin, uid)): \(sentence)", .bold)
        guard let changes else {
            pane.append("It changed more than is told here.", .dim)
            return append(whyTo: &pane)
        }
        let told = ChangeSummary(changes: changes, paint: .none).lines
        if !told.isEmpty {
            pane.heading("CHANGED")
            pane.append(sentences: told)
        }
        return append(whyTo: &pane)
    }

    private func append(whyTo pane: inout PaneLines) -> PaneLines {
        guard let why else {
            guard let record, !record.commands.isEmpty else { return pane }
            pane.heading("ASKED FOR")
            for command in record.commands { pane.append("  " + Self.said(command, titles), .plain) }
            return pane
        }
        let tree = CauseLines(why, titles: titles, uid: uid)
        if tree.isStory {
            pane.heading("WHY, AND WHAT CAME OF IT")
            for (text, isOwn) in tree.lines { pane.append(text, isOwn ? .bold : .plain) }
        }
        return pane
    }

    static func said(_ command: CommandMessage, _ titles: [Int64: String]) -> String {
        CommandWords(command.name, command.arguments, titles: titles).asked(isDryRun: false)
    }
}

struct CauseLines {
    private let answer: WhyMethod.Output
    private let titles: [Int64: String]
    private let uid: UInt32
    private let results: [CommandID: [RecordMessage]]
    private let fates: [CommandID: CommandFateMessage]

    init(_ answer: WhyMethod.Output, titles: [Int64: String], uid: UInt32) {
        (self.answer, self.titles, self.uid) = (answer, titles, uid)
        let roots = Set(answer.roots)
        var results: [CommandID: [RecordMessage]] = [:]
        for record in answer.records where !roots.contains(record.sequence) {
            if let cause = record.cause { results[cause, default: []].append(record) }
        }
        self.results = results
        fates = Dictionary(answer.fates.map { ($0.id, $0) }) { $1 }
    }

    var isStory: Bool { answer.records.count > 1 || answer.records.contains { !$0.commands.isEmpty } }

    var lines: [(text: String, isOwn: Bool)] {
        var lines: [(String, Bool)] = []
        let roots = Set(answer.roots)
        for root in answer.records where roots.contains(root.sequence) {
            append(root, margin: "", to: &lines)
        }
        if answer.cut { lines.append(("… and more", false)) }
        return lines
    }

    private func append(_ record: RecordMessage, margin: String, to lines: inout [(String, Bool)]) {
        let isOwn = record.sequence == answer.sequence
        let who = margin.isEmpty ? LogSentences.who(record.origin, uid) + ": " : ""
        let text = RecordSentence(record, titles: titles).text
        lines.append((margin + (isOwn ? "→ " : "") + "@\(record.sequence) \(who)\(text)", isOwn))
        for command in record.commands {
            lines.append((margin + "  \(RecordPane.said(command, titles)): \(fate(command.id))", false))
            for result in command.id.flatMap({ results[$0] }) ?? [] { append(result, margin: margin + "    ", to: &lines) }
        }
    }

    private func fate(_ id: CommandID?) -> String {
        guard let id, let fate = fates[id] else { return "unknown" }
        switch fate.fate {
        case "shown": return "shown"
        case "none": return "it only ends another"
        case "open":
            let stage = fate.held == true ? "held" : Visible.text(fate.stage ?? "open")
            return stage + (fate.reason.map { ": " + Visible.text($0) } ?? "")
        default: return Visible.text(fate.fate)
        }
    }
}
