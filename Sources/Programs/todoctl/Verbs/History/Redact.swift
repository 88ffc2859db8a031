import ArgumentParser
import TodoAPI

struct Redact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take the texts out of a record, for good.",
        discussion: """
            EXAMPLES:
              todoctl redact 57
              todoctl redact @-1 --dry-run
              todoctl redact 57 --yes

            Shows what would be taken out and asks. The record's texts become ⟨redacted⟩ in the log and in all states, past and
            present; ids and numbers stay. Other records with the same text are named; they stay as they are, and so do exports,
            backups and what was written to the daemon's journal. The file keeps freed pages until todoctl compact.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last.")
    var record: String

    @OptionGroup var consent: Consent

    func run() throws {
        try options.session { session in
            let sequence = try session.record(record)
            if consent.dryRun || !consent.yes {
                let dryRun = try session.client.ask(RedactMethod.self, .init(sequence: sequence, dryRun: true))
                if consent.dryRun || !session.isJSON {
                    try session.show(dryRun) { dryRun throws(Failure) in try dryRunLines(dryRun, session) }
                }
                if consent.dryRun { return }
                try consent.ask("Take them out, for good?", session)
            }
            let answer = try session.client.ask(
                RedactMethod.self, .init(sequence: sequence),
                ifLost: "todoctl log --from \(sequence) --to \(sequence) --ungrouped")
            try session.show(answer) { answer in ["Took the texts out of record \(sequence)."] + Redact.rest(answer) }
        }
    }

    /// The record as it is and as it would be, and what would stay.
    private func dryRunLines(_ dryRun: RedactMethod.Output, _ session: Session) throws(Failure) -> [String] {
        var lines = ["Would take the texts out of record \(dryRun.sequence):"]
        let table = RecordLines(zone: session.zone, paint: session.paint)
        if let found = try session.record(dryRun.sequence) { lines.append("    " + table.line(found.record)) }
        lines.append("    would be \(dryRun.action.map(RecordLines.what) ?? "?")")
        return lines + Redact.rest(dryRun)
    }

    /// Where else the texts are.
    private static func rest(_ answer: RedactMethod.Output) -> [String] {
        var lines: [String] = []
        let copies = answer.copies.map(String.init)
        if !copies.isEmpty {
            let (which, hold) = copies.count == 1 ? ("Record", "holds") : ("Records", "hold")
            lines.append("\(which) \(copies.joined(separator: ", ")) \(hold) one of them, too.")
        }
        if let archive = answer.archive {
            lines.append("The records before the log was compacted may hold one of them; they are in \(Visible.text(archive)).")
        } else if let base = answer.base {
            lines.append(
                "This log begins behind record \(base). The records before it, where it comes from, may hold one of them.")
        }
        return lines
    }
}
