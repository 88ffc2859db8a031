import ArgumentParser
import TodoAPI

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check everything that the daemon keeps, for damage.",
        discussion: """
            EXAMPLES:
              todoctl verify
              todoctl verify --json
              todoctl verify --head 1042-8f3a5b6c7d8e9f00-0123456789abcdef

            Records and their chain, snapshots against a fold of the records, and keys, commands, bookmarks and
            subscriptions against the records.
            With --head the log must go on from a head of earlier, which todoctl head printed or the journal has.
            The daemon goes on serving meanwhile. Exit status 65 if something is damaged.
            """)

    @Option(help: "A head of earlier, which the log must go on from.")
    var head: String?

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            guard let answer = try answers(session).last else { throw Failure.unexpected("The daemon did not answer.") }
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
                    + "bookmarks \(verification.bookmarks ?? 0), subscriptions \(verification.subscriptions ?? 0).")
        }
    }

    private func answers(_ session: Session) throws(Failure) -> [Answer<VerifyMethod>] {
        do throws(Failure) {
            return try session.research(VerifyMethod.self, .init(head: head)) { $0.damages == nil ? ($0.reached, $0.last) : nil }
        } catch {
            guard case .invalidParameter("head")? = error.known else { throw error }
            throw Failure(.usage, "“\(Visible.text(head ?? ""))” is no head: todoctl head prints one.")
        }
    }
}
