import ArgumentParser
import TodoAPI
import Varlink

struct Why: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show why a record is there: who dispatched what, which commands that asked for, and what came of them.",
        discussion: """
            EXAMPLES:
              todoctl why 12
              todoctl why @-1
              todoctl why 12 --json

            The record that was asked about is marked with an arrow.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last.")
    var record: String

    func run() throws {
        try options.session { session in
            let answer = try session.why(try session.record(record))
            if session.isJSON { return session.output.json(answer) }
            session.show(session.lines(why: answer))
        }
    }
}

/// Why a record is there, as a tree: the records of a dispatch, below each the commands it asked for, below each what came of it.
struct CauseTree {
    private let sequence: Int64
    private let roots: [JSON]
    private let results: [CommandKey: [JSON]]
    private let fates: [CommandKey: JSON]
    private let isCut: Bool
    private let archive: String?
    private let table: RecordLines

    private struct CommandKey: Hashable {
        var sequence: Int64
        var index: Int64

        init?(_ json: JSON?) {
            guard let sequence = json?["sequence"]?.int, let index = json?["index"]?.int else { return nil }
            self.sequence = sequence
            self.index = index
        }
    }

    /// Reads the answer of `org.todod.History.Why`.
    init(_ answer: [JSON.Member], _ table: RecordLines) {
        sequence = answer["sequence"]?.int ?? 0
        let records = answer["records"]?.array ?? []
        let rootSequences = Set((answer["roots"]?.array ?? []).compactMap(\.int))
        roots = records.filter { rootSequences.contains($0["sequence"]?.int ?? 0) }
        var results: [CommandKey: [JSON]] = [:]
        for record in records where !rootSequences.contains(record["sequence"]?.int ?? 0) {
            if let cause = CommandKey(record["cause"]) { results[cause, default: []].append(record) }
        }
        self.results = results
        var fates: [CommandKey: JSON] = [:]
        for fate in answer["fates"]?.array ?? [] {
            if let key = CommandKey(fate["id"]) { fates[key] = fate }
        }
        self.fates = fates
        isCut = answer["cut"]?.bool ?? false
        archive = answer["archive"]?.string
        self.table = table
    }

    /// The tree, a line for each record and command.
    var lines: [String] {
        var lines: [String] = []
        for root in roots {
            guard let cause = root["cause"]?["sequence"]?.int, let archive else {
                append(root, head: "", margin: "", to: &lines)
                continue
            }
            lines.append("\(cause)  is in \(Visible.text(archive)), or in an archive before it")
            append(root, head: "└─ ", margin: "   ", to: &lines)
        }
        if isCut { lines.append("… and more") }
        return lines
    }

    private func append(_ record: JSON, head: String, margin: String, to lines: inout [String]) {
        let own = record["sequence"]?.int ?? 0
        var line = table.line(record, tellsCause: false)
        if let key = record["key"]?.string { line += "  key \(Visible.text(key))" }
        lines.append(head + (own == sequence ? table.paint(line, .bold) + "  ←" : line))
        let commands = record["commands"]?.array ?? []
        for (index, command) in commands.enumerated() {
            let isLast = index == commands.count - 1
            let key = CommandKey(command["id"])
            let arguments = Outline.compact(command["arguments"] ?? [:])
            let id = command["id"].map { "\($0["sequence"]?.int ?? 0).\($0["index"]?.int ?? 0)" } ?? "?"
            lines.append(
                margin + (isLast ? "└─ " : "├─ ") + "asked for \(Visible.text(command["name"]?.string ?? "?"))"
                    + (arguments.isEmpty ? "" : " " + arguments) + " (\(id)): " + fate(key))
            let further = margin + (isLast ? "   " : "│  ")
            let results = key.flatMap { self.results[$0] } ?? []
            for (index, result) in results.enumerated() {
                let isLast = index == results.count - 1
                append(result, head: further + (isLast ? "└─ " : "├─ "), margin: further + (isLast ? "   " : "│  "), to: &lines)
            }
        }
    }

    private func fate(_ key: CommandKey?) -> String {
        guard let key, let fate = fates[key] else { return "unknown" }
        switch fate["fate"]?.string {
        case "shown": return "shown to the client"
        case "ended": return "ended"
        case "none": return "it only cancelled others"
        case "open":
            var text = fate["held"]?.bool == true ? "held" : Visible.text(fate["stage"]?.string ?? "open")
            if let attempts = fate["attempts"]?.int, attempts > 0 {
                text += attempts == 1 ? ", 1 attempt" : ", \(attempts) attempts"
            }
            if let reason = fate["reason"]?.string { text += ": " + Visible.text(reason) }
            return text
        default: return Visible.text(fate["fate"]?.string ?? "unknown")
        }
    }
}
