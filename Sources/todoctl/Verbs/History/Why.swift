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
