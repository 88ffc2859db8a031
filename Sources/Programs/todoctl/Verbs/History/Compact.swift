import ArgumentParser
import TodoAPI

struct Compact: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Move old records to an archive, and go on from what they come to.",
        discussion: """
            EXAMPLES:
              todoctl compact --before 2026-01-01 --dry-run
              todoctl compact --before 100000 --yes
              todoctl compact --before 2026-01-01 --forget-keys 90d

            Shows what would go and asks. The archive is an export in the directory of the log, compressed; todoctl import takes
            archives over, one after the other, and todod --ephemeral --replay shows the first of them. The state, the open commands
            and the keys stay. What is before can't be undone or looked at here any more.

            A key is what makes a retry harmless. With --forget-keys those of records that go are forgotten if they are older than that,
            counted back from the last record, and those of dispatches that logged nothing by their age alone; a retry with one of them is
            done again.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What was before that time goes, and up to that record or bookmark, with it.", valueName: "point"),
        completion: .moments)
    var before: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Forget the keys of what goes that are older than so many days, a number with a d behind it: 90d.", valueName: "days"),
        transform: Compact.days)
    var forgetKeys: UInt64?

    @OptionGroup var consent: Consent

    func run(_ session: Session) throws {
        var point = try session.point(before, edge: .before)
        if consent.dryRun || !consent.yes {
            let dryRun = try session.client.ask(
                CompactMethod.self, .init(before: point, dryRun: true, forgetKeysDays: forgetKeys))
            let would = try dryRun.output()
            let isNothing = would.records == 0
            let isLast = consent.dryRun || isNothing
            if isLast || !session.isJSON {
                try session.show(dryRun) { _ in [isNothing ? Compact.nothing : "Would move \(Compact.text(would))."] }
            }
            if isLast { return }
            try consent.ask("Move them?", session)
            // Up to the record that was shown, even if the log has grown since.
            point = Point(sequence: would.base)
        }
        try session.show(
            session.client.ask(
                CompactMethod.self, .init(before: point, forgetKeysDays: forgetKeys), ifLost: "todoctl status")
        ) { done in
            [done.records == 0 ? Compact.nothing : "Moved \(Compact.text(done))."]
        }
    }

    // Without its unit a number could be one of hours, or of records.
    @Sendable private static func days(_ text: String) throws -> UInt64 {
        guard text.utf8.last == UInt8(ascii: "d"), let count = UInt64(text.dropLast()), count <= CompactMethod.forgetKeysDaysMax
        else {
            throw ValidationError("a number of days with a d behind it is expected, at most \(CompactMethod.forgetKeysDaysMax)d.")
        }
        return count
    }

    private static let nothing = "There is nothing to move before that."

    /// `1,234 records up to 1300 to archive-67-1300.jsonl.zst`.
    private static func text(_ outcome: CompactMethod.Output) -> String {
        let count = Digits.counted(outcome.records, "record")
        let forgotten =
            outcome.keysForgotten.map { ", forgetting \(Digits.counted($0, "key"))" } ?? ""
        return "\(count) up to \(outcome.base) to \(Visible.text(outcome.archive))\(forgotten)"
    }
}
