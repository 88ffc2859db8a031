import ArgumentParser
import TodoAPI

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that the daemon keeps, for damage.",
        discussion: """
            EXAMPLES:
              todoctl verify
              todoctl verify --json

            Records and their chain, snapshots against a fold of the records, and keys, commands and bookmarks against the records.
            The daemon goes on serving meanwhile. Exit status 65 if something is damaged.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            let answers = try session.research(VerifyMethod.self, NoFields()) { $0.damages == nil ? ($0.reached, $0.last) : nil }
            guard let answer = answers.last else { throw Failure.unexpected("The daemon did not answer.") }
            let verification = try answer.output()
            let damages = verification.damages ?? []
            try session.show(answer) { _ in
                damages.map { "\($0.sequence)  \(Visible.text($0.kind))  \(Visible.text($0.what))" }
            }
            if let first = damages.first {
                let place = first.sequence == 0 ? "" : " at record \(first.sequence)"
                throw Failure(.damaged, "Damaged\(place): \(Visible.text(first.what)) (\(Visible.text(first.kind)))")
            }
            guard !session.isJSON else { return }
            session.output.line(
                "Whole up to record \(Digits.grouped(verification.reached)): snapshots \(verification.snapshots ?? 0), "
                    + "keys \(verification.keys ?? 0), open commands \(verification.commands ?? 0), "
                    + "bookmarks \(verification.bookmarks ?? 0).")
        }
    }
}
