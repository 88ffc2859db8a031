import ArgumentParser
import TodoAPI
import Varlink

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move old records to an archive, and go on from what they come to.",
        discussion: """
            EXAMPLES:
              todoctl compact --before 2026-01-01 --dry-run
              todoctl compact --before 100000 --yes

            Shows what would go and asks. The archive is an export in the directory of the log, compressed; todoctl import takes
            archives over, one after the other, and todod --ephemeral --replay shows the first of them. The state, the open commands
            and the keys of the last 90 days stay. What is before can't be undone or looked at here any more.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What was before that time goes, and up to that record or bookmark, with it.", valueName: "point"))
    var before: String

    @OptionGroup var consent: Consent

    func run() throws {
        try options.session { session in
            var point = try session.point(before, edge: .before)
            if consent.dryRun || !consent.yes {
                let trial = try answer(CompactMethod.Input(before: point, dryRun: true), session)
                let isNothing = trial.records == 0
                if session.isJSON, consent.dryRun || isNothing { return session.output.json(trial.members) }
                if !session.isJSON { session.output.line(isNothing ? Outcome.nothing : "Would move \(trial.text).") }
                if consent.dryRun || isNothing { return }
                guard try consent.isGiven("Move them?", session) else { return }
                // Up to the record that was shown, even if the log has grown since.
                point = Point(sequence: trial.base)
            }
            let done = try answer(CompactMethod.Input(before: point), session)
            if session.isJSON { return session.output.json(done.members) }
            session.output.line(done.records == 0 ? Outcome.nothing : "Moved \(done.text).")
        }
    }

    private func answer(_ input: CompactMethod.Input, _ session: Session) throws(Failure) -> Outcome {
        let members = try session.client.call(
            Frame.call(CompactMethod.self, input), ifLost: input.dryRun == true ? nil : "todoctl status")
        let output: CompactMethod.Output = try session.client.read(members)
        return Outcome(members: members, base: output.base, records: output.records, archive: output.archive)
    }
}

/// What goes, or went.
private struct Outcome {
    var members: [JSON.Member]
    var base: UInt64
    var records: UInt64
    var archive: String

    static let nothing = "There is nothing to move before that."

    /// `1,234 records up to 1300 to archive-67-1300.jsonl.zst`.
    var text: String {
        let count = Digits.grouped(Int(clamping: records)) + (records == 1 ? " record" : " records")
        return "\(count) up to \(base) to \(Visible.text(archive))"
    }
}
