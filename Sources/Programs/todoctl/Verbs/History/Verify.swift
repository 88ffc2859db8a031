import ArgumentParser
import TodoAPI

struct Verify: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check everything that the daemon keeps, for damage.",
        discussion: """
            EXAMPLES:
              todoctl verify
              todoctl verify --json
              todoctl verify --head 1042-8f3a5b6c7d8e9f00-0123456789abcdef
              todoctl verify --cluster

            Records and their chain, snapshots against a fold of the records, and keys, commands and
            bookmarks against the records.
            With --head the log must go on from a head of earlier, which todoctl head printed or the journal has.
            With --cluster, in place of all that: whether all machines that share the log have the same at its last record.
            The daemon goes on serving meanwhile. Exit status 65 if something is damaged, or differs.
            """)

    @Option(help: "A head of earlier, which the log must go on from.")
    var head: String?

    @Flag(help: "Compare what all machines have that share the log.")
    var cluster = false

    @OptionGroup var options: Options

    func validate() throws {
        if cluster, head != nil { throw ValidationError("--cluster compares machines, and --head this one with an earlier day.") }
    }

    func run(_ session: Session) throws {
        if cluster { return try Verify.compare(session) }
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
            "The log is whole through its last record, \(Digits.grouped(verification.reached)): snapshots \(verification.snapshots ?? 0), "
                + "keys \(verification.keys ?? 0), open commands \(verification.commands ?? 0), "
                + "bookmarks \(verification.bookmarks ?? 0).")
    }

    private static func compare(_ session: Session) throws(Failure) {
        let answer = try session.client.ask(CompareMethod.self, NoFields())
        let comparison = try answer.output()
        try session.show(answer) { _ in
            comparison.nodes.map { node in
                let name = node.node.isEmpty ? "here" : Visible.text(node.node)
                return "\(name)  " + (node.chain.map { "\($0)-\(node.digest ?? "")" } ?? "did not say it in time")
            }
        }
        let told = comparison.nodes.compactMap { node in node.chain.map { [$0, node.digest ?? ""] } }
        guard Set(told).count <= 1 else {
            throw Failure(.damaged, "The machines have different histories up to record \(comparison.sequence).")
        }
        guard told.count == comparison.nodes.count else {
            throw Failure(.tryAgain, "Some machines did not say what they have: todoctl cluster shows how far they are.")
        }
        guard !session.isJSON else { return }
        guard comparison.nodes.count == 1 else {
            return session.output.line("The same on all machines up to record \(Digits.grouped(comparison.sequence)).")
        }
        session.output.line(
            comparison.nodes.first?.node.isEmpty == true
                ? "There are no others to compare with: the log is this machine's alone."
                : "There are no others to compare with: no other machine says that it shares the log.")
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
