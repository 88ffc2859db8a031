import ArgumentParser
import Dates
import Glibc
import TodoAPI

struct Steps: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "steps",
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

    func run(_ session: Session) throws {
        var progress = Progress()
        defer { progress.clear() }
        var isEmpty = true
        // What each step did is asked for while the other connection streams.
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
        let lines = [any ? "Nobody did anything \(when)." : "You did nothing \(when). (todoctl steps --any lists everybody's.)"]
        return lines + [cutAway(base: base, archive: archive)].compactMap(\.self)
    }

    /// Where that is which a log began with; `nil` of one that has all.
    static func cutAway(base: UInt64?, archive: String?) -> String? {
        guard let base else { return nil }
        return archive.map { "What was done before is in \(Visible.text($0)), or in an archive before it." }
            ?? "What was done before, this log does not know: it begins behind record \(base)."
    }
}

extension Session {
    /// Where that is which the log began with, as a sentence; `nil` where it has all.
    func cutAway() throws(Failure) -> String? {
        let status = try client.call(StatusMethod.self, NoFields())
        return Steps.cutAway(base: status.base, archive: status.archive)
    }

    /// Steps, the newest first, each with what it did in the words of the log.
    ///
    /// - Parameter asking: over which the records are asked for.
    func lines(steps: [StepEntryMessage], _ asking: Client) throws(Failure) -> [String] {
        var lines: [String] = []
        // The oldest first: the state behind one step is where the daemon goes on to the next from.
        for step in steps.reversed() { lines.append(line(step, try said(of: step, asking))) }
        return lines.reversed()
    }

    // So many records of a step are told.
    private static let toldMax: UInt64 = 3
    // Of one that moves todos so many are read, to tell at once what they come to.
    private static let movesMax: UInt64 = 64

    /// What the first records of a step say: `completed 3: Send the invoice`, `completed 1: Call the bank`.
    private func said(of step: StepEntryMessage, _ asking: Client) throws(Failure) -> StepWords {
        var entries = try records(of: step, limit: Self.toldMax, asking)
        if step.records > Self.toldMax, !RecordSentence.moved(by: entries.map(\.record)).isEmpty {
            // What more of them come to is not known without reading them all.
            guard step.records <= Self.movesMax else {
                return StepWords(actions: ["moved todos"], entries: [])
            }
            entries = try records(of: step, limit: Self.movesMax, asking)
        }
        let moved = RecordSentence.moved(by: entries.map(\.record))
        let titles = moved.isEmpty ? [:] : try asking.titles(of: moved)
        let told = LogSentences.Entry.joined(entries.map { LogSentences.Entry($0.record, $0.detail, titles: titles) })
        return StepWords(actions: step.actions, entries: Array(told.prefix(Int(Self.toldMax))))
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
    func line(_ step: StepEntryMessage, _ words: StepWords) -> String {
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

/// What the first records of a step say.
struct StepWords {
    /// The names of its actions, or what else is said where no record is told.
    var actions: [String]
    var entries: [LogSentences.Entry]

    /// How many records are told.
    var records: UInt64 { entries.reduce(0) { $0 + $1.record - $1.first + 1 } }

    var text: String {
        entries.isEmpty ? actions.map(Visible.text).joined(separator: ", ") : entries.map(\.text).joined(separator: "; ")
    }
}
