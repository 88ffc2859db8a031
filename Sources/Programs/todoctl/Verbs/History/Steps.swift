import Dates
import ArgumentParser
import TodoAPI

struct Steps: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List what can be undone, and what was.",
        discussion: """
            EXAMPLES:
              todoctl steps
              todoctl steps --any --limit 100
              todoctl undo 57

            A step is everything that one verb did, with all that came of it. The newest comes first; each says whether it stands, or which
            step undid it or did it again, and how the commands ended that it asked for. One that only asked for something to see
            (a load, a fetch, a page) is undone by its number alone, and says so.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional, help: ArgumentHelp("No more than so many; 20, if left out.", valueName: "number"),
        transform: Numeral.whole(from: 0))
    var limit: UInt64 = 20

    @Flag(help: "Everybody's steps, not only yours.")
    var any = false

    func run() throws {
        try options.session { session in
            var progress = Progress()
            defer { progress.clear() }
            var isEmpty = true
            try session.client.stream(StepsMethod.self, .init(limit: limit, any: any ? true : nil)) { answer throws(Failure) in
                let page = try answer.output()
                if let reached = page.reached {
                    progress.show(record: reached)
                    return .more
                }
                progress.clear()
                isEmpty = isEmpty && page.steps.isEmpty
                if !page.steps.isEmpty || session.isJSON {
                    try session.show(answer) { page in page.steps.map { session.line(step: $0) } }
                }
                session.output.flush()
                return .more
            }
            if isEmpty, limit > 0, !session.isJSON {
                let status = try session.client.call(StatusMethod.self, NoFields())
                session.show(Steps.none(any: any, base: status.base, archive: status.archive))
            }
        }
    }

    private static func none(any: Bool, base: UInt64?, archive: String?) -> [String] {
        let when = base.map { "since record \($0)" } ?? "yet"
        let lines = [any ? "Nobody did anything \(when)." : "You did nothing \(when). (todoctl steps --any lists everybody's.)"]
        guard base != nil else { return lines }
        return lines + [
            archive.map { "What was done before is in \(Visible.text($0)), or in an archive before it." }
                ?? "What was done before, this log does not know: it begins there."
        ]
    }
}

extension Session {
    /// `57  2026-11-22 14:30:05  uid 1000  todos.add, posts.reload  3 records  1 result, 1 open  undone by 60`.
    func line(step: StepEntryMessage) -> String {
        var parts = [String(step.step), zone.moment(at: step.time / 1_000_000).text, "uid \(step.origin)"]
        parts.append(step.actions.map(Visible.text).joined(separator: ", "))
        if step.records > 1 { parts.append("\(Digits.grouped(step.records)) records") }
        var ends = step.ends.map { "\(Digits.grouped($0.count)) \(Visible.text($0.outcome))" }
        if let open = step.open { ends.append("\(Digits.grouped(open)) open") }
        if !ends.isEmpty { parts.append("commands: " + ends.joined(separator: ", ")) }
        if let merges = step.merges, let fork = step.fork {
            parts.append("merges the fork of \(moment(Int64(clamping: fork)).text) through its record \(merges)")
        }
        if step.request == true, step.by == nil { parts.append("undone only by number") }
        if let by = step.by { parts.append("\(Visible.text(step.stage)) by \(by)") }
        return parts.joined(separator: "  ")
    }
}
