import ArgumentParser
import TodoAPI
import Varlink

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move old records to an archive, and go on from what they come to.",
        discussion: """
            EXAMPLES:
              todoctl compact --before 2026-01-01 --dry-run
              todoctl compact --before 100000

            The archive is an export in the directory of the log, compressed; todoctl import takes archives over, one after the
            other, and todod --ephemeral --replay shows the first of them. The state, the open
            commands and the keys of the last 90 days stay. What is before can't be undone or looked at here any more.
            """)

    @OptionGroup var options: Options

    @Option(parsing: .unconditional, help: ArgumentHelp("The last moment that goes.", valueName: "point"))
    var before: String

    @Flag(help: "Only say what would go.")
    var dryRun = false

    func run() throws {
        try options.session { session in
            let input = CompactMethod.Input(before: try session.point(before, edge: .end), dryRun: dryRun ? true : nil)
            let answer = try session.client.call(Frame.call(CompactMethod.self, input))
            if session.isJSON { return session.output.json(answer) }
            let outcome: CompactMethod.Output = try session.client.read(answer)
            guard outcome.records > 0 else { return session.output.line("There is nothing to move before that.") }
            let count = Digits.grouped(Int(clamping: outcome.records)) + (outcome.records == 1 ? " record" : " records")
            session.output.line(
                "\(dryRun ? "Would move" : "Moved") \(count) up to \(outcome.base) to \(Visible.text(outcome.archive)).")
        }
    }
}
