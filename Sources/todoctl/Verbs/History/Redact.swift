import ArgumentParser
import TodoAPI
import Varlink

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
                let trial = try session.client.call(Frame.call(RedactMethod.self, .init(sequence: sequence, dryRun: true)))
                if session.isJSON, consent.dryRun { return session.output.json(trial) }
                if !session.isJSON { session.show(try trialLines(trial, of: sequence, session)) }
                if consent.dryRun { return }
                guard try consent.isGiven("Take them out, for good?", session) else { return }
            }
            let answer = try session.client.call(
                Frame.call(RedactMethod.self, .init(sequence: sequence)),
                ifLost: "todoctl log --from \(sequence) --to \(sequence) --ungrouped")
            if session.isJSON { return session.output.json(answer) }
            session.output.line("Took the texts out of record \(sequence).")
            session.show(Self.rest(answer))
        }
    }

    /// The record as it is and as it would be, and what would stay.
    private func trialLines(_ trial: [JSON.Member], of sequence: UInt64, _ session: Session) throws(Failure) -> [String] {
        var lines = ["Would take the texts out of record \(sequence):"]
        let table = RecordLines(zone: session.zone, paint: session.paint)
        if let record = try session.record(Int64(clamping: sequence)) { lines.append("    " + table.line(record)) }
        let action = JSON.object([.init(name: "action", value: trial["action"] ?? .null)])
        lines.append("    would be \(RecordLines.what(action))")
        return lines + Self.rest(trial)
    }

    /// Where else the texts are.
    private static func rest(_ answer: [JSON.Member]) -> [String] {
        var lines: [String] = []
        let copies = (answer["copies"]?.array ?? []).compactMap(\.int).map(String.init)
        if !copies.isEmpty {
            let (which, hold) = copies.count == 1 ? ("Record", "holds") : ("Records", "hold")
            lines.append("\(which) \(copies.joined(separator: ", ")) \(hold) one of them, too.")
        }
        if let archive = answer["archive"]?.string {
            lines.append("What came before the log was compacted may, too; its records are in \(Visible.text(archive)).")
        }
        return lines
    }
}
