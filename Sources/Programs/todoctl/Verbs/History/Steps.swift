import ArgumentParser
import Dates
import Glibc
import TodoAPI

struct Steps: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "steps",
        abstract: "List the steps, done and undone.",
        discussion: """
            EXAMPLES:
              todoctl steps
              todoctl steps --any --limit 100
              todoctl undo 57

            A step is everything that one verb did, including the results of its commands. Steps are listed newest first, with the
            results of their commands and the step that undid or redid them. A request for data (a load, a fetch, a page) is
            undone only if it is named, and says so.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum number of steps (default: 20).", valueName: "number"),
        transform: Numeral.whole(from: 0))
    var limit: UInt64 = 20

    @Flag(help: "Include the steps of all users.")
    var any = false

    func run(_ session: Session) throws {
        var progress = Progress()
        defer { progress.clear() }
        var isEmpty = true
        // Reads the records of steps while the other connection streams.
        let asking = try session.client.another()
        try session.client.stream(StepsMethod.self, .init(limit: limit, any: any ? true : nil)) { answer throws(Failure) in
            let page = try answer.output()
            if let reached = page.reached {
                progress.show(record: reached)
                return .more
            }
            progress.clear()
            isEmpty = isEmpty && page.steps.isEmpty
            if !page.steps.isEmpty || session.isJSON {
                try session.show(answer) { page throws(Failure) in try session.lines(steps: page.steps, asking) }
            }
            session.output.flush()
            return .more
        }
        if isEmpty, limit > 0, !session.isJSON {
            let status = try session.client.call(StatusMethod.self, NoFields())
            session.show(Steps.none(any: any, base: status.base, archive: status.archive))
        }
    }

    private static func none(any: Bool, base: UInt64?, archive: String?) -> [String] {
        let when = base.map { "since record \($0)" } ?? "yet"
        let lines = [any ? "There are no steps \(when)." : "You have no steps \(when). (Those of all users: todoctl steps --any)"]
        return lines + [compactionNotice(base: base, archive: archive)].compactMap(\.self)
    }

    /// Where the compacted beginning of a log is; `nil` for a complete log.
    static func compactionNotice(base: UInt64?, archive: String?) -> String? {
        guard let base else { return nil }
        return archive.map { "Earlier records are in \(Visible.text($0)), or in an earlier archive." }
            ?? "This log begins after record \(base)."
    }
}

extension Session {
    /// Where the compacted beginning of the log is; `nil` for a complete log.
    func compactionNotice() throws(Failure) -> String? {
        let status = try client.call(StatusMethod.self, NoFields())
        return Steps.compactionNotice(base: status.base, archive: status.archive)
    }

    /// Steps, newest first, each with the sentences of its records.
    ///
    /// - Parameter asking: the connection for reading the records.
    func lines(steps: [StepEntryMessage], _ asking: Client) throws(Failure) -> [String] {
        var lines: [String] = []
        // Oldest first, because the daemon continues from the state after a step.
        for step in steps.reversed() { lines.append(line(step, try said(of: step, asking))) }
        return lines.reversed()
    }

    // Number of records shown per step.
    private static let toldMax: UInt64 = 3
    // Number of records read of a step that moves todos, to summarize the moves.
    private static let movesMax: UInt64 = 64

    /// The sentences of a step's first records: `completed 3: Send the invoice`, `completed 1: Call the bank`.
    private func said(of step: StepEntryMessage, _ asking: Client) throws(Failure) -> StepText {
        var entries = try records(of: step, limit: Self.toldMax, asking)
        if step.records > Self.toldMax, !RecordSentence.moved(by: entries.map(\.record)).isEmpty {
            // A summary would need all records.
            guard step.records <= Self.movesMax else {
                return StepText(actions: ["moved todos"], entries: [])
            }
            entries = try records(of: step, limit: Self.movesMax, asking)
        }
        let moved = RecordSentence.moved(by: entries.map(\.record))
        let titles = moved.isEmpty ? [:] : try asking.titles(of: moved)
        let joined = LogSentences.Entry.joined(entries.map { LogSentences.Entry($0.record, $0.detail, titles: titles) })
        return StepText(actions: step.actions, entries: Array(joined.prefix(Int(Self.toldMax))))
    }

    private func records(
        of step: StepEntryMessage, limit: UInt64, _ asking: Client
    ) throws(Failure) -> [(record: RecordMessage, detail: LogDetailMessage?)] {
        var entries: [(record: RecordMessage, detail: LogDetailMessage?)] = []
        let input = LogMethod.Input(
            from: Point(sequence: step.step), to: Point(sequence: step.last), limit: limit, changes: true)
        try asking.stream(LogMethod.self, input) { answer throws(Failure) in
            entries += try answer.output().entries.filter { $0.record.step == step.step && $0.record.cause == nil }
            return .more
        }
        return entries
    }

    /// `57  2026-11-22 14:30:05  you  added 3: Buy the milk  3 records  commands: 1 result, 1 open  undone by 60`.
    func line(_ step: StepEntryMessage, _ words: StepText) -> String {
        var parts = [
            String(step.step), zone.moment(at: step.time / 1_000_000).text, LogSentences.who(step.origin, getuid()), words.text,
        ]
        if step.records > words.records { parts.append(Digits.counted(step.records, "record")) }
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

/// The sentences of a step's first records.
struct StepText {
    /// The names of its actions, used if no record is shown.
    var actions: [String]
    var entries: [LogSentences.Entry]

    /// Number of shown records.
    var records: UInt64 { entries.reduce(0) { $0 + $1.record - $1.first + 1 } }

    var text: String {
        entries.isEmpty ? actions.map(Visible.text).joined(separator: ", ") : entries.map(\.text).joined(separator: "; ")
    }
}
