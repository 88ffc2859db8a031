import ArgumentParser
import Chronicle
import TodoAPI

struct Why: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show the causes and effects of a record as a tree.",
        discussion: """
            EXAMPLES:
              todoctl why 12
              todoctl why @-1
              todoctl why 12 --json

            The given record is marked with an arrow.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last one.")
    var record: String

    func run(_ session: Session) throws {
        try session.show(WhyMethod.self, .init(sequence: session.record(record))) { session.lines(why: $0) }
    }
}

extension Session {
    /// The causes and effects of a record, as a tree.
    func lines(why answer: WhyMethod.Output) -> [String] { CauseTree(answer, RecordLines(zone: zone, paint: paint)).lines }
}

/// A tree of causes: the records of a dispatch, below each the commands that it requested, and below those their results.
struct CauseTree {
    private let answer: WhyMethod.Output
    private let roots: [RecordMessage]
    private let results: [CommandID: [RecordMessage]]
    private let fates: [CommandID: CommandFateMessage]
    private let table: RecordLines

    init(_ answer: WhyMethod.Output, _ table: RecordLines) {
        self.answer = answer
        self.table = table
        let rootSequences = Set(answer.roots)
        roots = answer.records.filter { rootSequences.contains($0.sequence) }
        var results: [CommandID: [RecordMessage]] = [:]
        for record in answer.records where !rootSequences.contains(record.sequence) {
            if let cause = record.cause { results[cause, default: []].append(record) }
        }
        self.results = results
        fates = Dictionary(answer.fates.map { ($0.id, $0) }) { $1 }
    }

    /// One line per record and command.
    var lines: [String] {
        var lines: [String] = []
        for root in roots {
            guard let cause = root.cause else {
                append(root, head: "", margin: "", to: &lines)
                continue
            }
            lines.append(
                "\(cause.sequence)  "
                    + (answer.archive.map { "is in \(Visible.text($0)), or in an earlier archive" }
                        ?? "is before the beginning of this log"))
            append(root, head: "└─ ", margin: "   ", to: &lines)
        }
        if answer.cut { lines.append("… and more") }
        return lines
    }

    private func append(_ record: RecordMessage, head: String, margin: String, to lines: inout [String]) {
        var line = table.line(record, showsCause: false)
        if let key = record.key { line += "  key \(Visible.text(key))" }
        lines.append(head + (record.sequence == answer.sequence ? table.paint(line, .bold) + "  ←" : line))
        for (index, command) in record.commands.enumerated() {
            let isLast = index == record.commands.count - 1
            lines.append(
                margin + (isLast ? "└─ " : "├─ ") + "asked for " + Tree.call(command.name, command.arguments)
                    + " (\(command.id?.text ?? "?")): " + fate(command.id))
            let further = margin + (isLast ? "   " : "│  ")
            let results = command.id.flatMap { self.results[$0] } ?? []
            for (index, result) in results.enumerated() {
                let isLast = index == results.count - 1
                append(result, head: further + (isLast ? "└─ " : "├─ "), margin: further + (isLast ? "   " : "│  "), to: &lines)
            }
        }
    }

    private func fate(_ id: CommandID?) -> String {
        guard let id, let fate = fates[id] else { return "unknown" }
        switch fate.fate {
        case "shown": return "shown to the client"
        case "none": return "only cancelled others"
        case "open":
            var text = fate.held == true ? "held" : Visible.text(fate.stage ?? "open")
            if let attempts = fate.attempts, attempts > 0 { text += ", \(Digits.counted(attempts, "attempt"))" }
            if let reason = fate.reason { text += ": " + Visible.text(reason) }
            return text
        default: return Visible.text(fate.fate)
        }
    }
}
