import ArgumentParser
import TodoAPI

struct Compact: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Move old records to an archive.",
        discussion: """
            EXAMPLES:
              todoctl compact --before 2026-01-01 --dry-run
              todoctl compact --before 100000 --yes
              todoctl compact --before 2026-01-01 --forget-keys 90d

            Shows a preview and asks. The archive is a compressed export in the directory of the log; todoctl import reads
            archives, oldest first, and todod --ephemeral --replay shows the first one. The state, open commands and keys stay.
            Moved records can no longer be undone or viewed here.

            A key makes a retry harmless. --forget-keys drops the keys of moved records that are older, counted back from the last
            record, and those of dispatches that logged nothing by age alone. A retry with such a key is executed again.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Records before this time, or up to and including this record or bookmark.", valueName: "point"),
        completion: .moments)
    var before: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Drop keys of moved records that are older than this number of days, such as 90d.", valueName: "days"),
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
            // Not beyond the record in the preview, even if the log has grown since.
            point = Point(sequence: would.base)
        }
        try session.show(
            session.client.ask(
                CompactMethod.self, .init(before: point, forgetKeysDays: forgetKeys), ifLost: "todoctl status")
        ) { done in
            [done.records == 0 ? Compact.nothing : "Moved \(Compact.text(done))."]
        }
    }

    // Without a unit, a number could mean hours or records.
    @Sendable private static func days(_ text: String) throws -> UInt64 {
        guard text.utf8.last == UInt8(ascii: "d"), let count = UInt64(text.dropLast()), count <= CompactMethod.forgetKeysDaysMax
        else {
            throw ValidationError("expected a number of days such as 90d, at most \(CompactMethod.forgetKeysDaysMax)d.")
        }
        return count
    }

    private static let nothing = "There are no records to move before that."

    /// `1,234 records up to 1300 to archive-67-1300.jsonl.zst`.
    private static func text(_ outcome: CompactMethod.Output) -> String {
        let count = Digits.counted(outcome.records, "record")
        let forgotten =
            outcome.keysForgotten.map { ", forgetting \(Digits.counted($0, "key"))" } ?? ""
        return "\(count) up to \(outcome.base) to \(Visible.text(outcome.archive))\(forgotten)"
    }
}
