import ArgumentParser
import TodoAPI

struct Verify: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check all stored data for damage.",
        discussion: """
            EXAMPLES:
              todoctl verify
              todoctl verify --json
              todoctl verify --head 1042-8f3a5b6c7d8e9f00-0123456789abcdef
              todoctl verify --cluster

            Checks records and their checksums, snapshots against a fold of the records, and keys, commands and bookmarks against
            the records. With --head, the log must also continue from a head of todoctl head or the journal. With --cluster, only
            the last records of all machines are compared. The daemon keeps serving. The exit status is 65 for damage or a
            difference.
            """)

    @Option(help: "An earlier head, from which the log must continue.")
    var head: String?

    @Flag(help: "Compare all machines that share the log.")
    var cluster = false

    @OptionGroup var options: Options

    func validate() throws {
        if cluster, head != nil { throw ValidationError("--cluster and --head exclude each other.") }
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
                return "\(name)  " + (node.chain.map { "\($0)-\(node.digest ?? "")" } ?? "did not answer in time")
            }
        }
        let checksums = comparison.nodes.compactMap { node in node.chain.map { [$0, node.digest ?? ""] } }
        guard Set(checksums).count <= 1 else {
            throw Failure(.damaged, "The machines have different histories up to record \(comparison.sequence).")
        }
        guard checksums.count == comparison.nodes.count else {
            throw Failure(.tryAgain, "Some machines did not answer. To see how far they are: todoctl cluster")
        }
        guard !session.isJSON else { return }
        guard comparison.nodes.count == 1 else {
            return session.output.line("The same on all machines up to record \(Digits.grouped(comparison.sequence)).")
        }
        session.output.line(
            comparison.nodes.first?.node.isEmpty == true
                ? "There is nothing to compare: no cluster is configured."
                : "There is nothing to compare: no other machine shares the log.")
    }

    private func answers(_ session: Session) throws(Failure) -> [Answer<VerifyMethod>] {
        do throws(Failure) {
            return try session.research(VerifyMethod.self, .init(head: head)) { $0.damages == nil ? ($0.reached, $0.last) : nil }
        } catch {
            guard case .invalidParameter("head")? = error.known else { throw error }
            throw Failure(.usage, "“\(Visible.text(head ?? ""))” is not a head: todoctl head prints one.")
        }
    }
}

struct Head: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the end of the log, to verify the log against it later.",
        discussion: """
            EXAMPLES:
              todoctl head
              todoctl head --json
              todoctl verify --head "$(cat head-of-monday)"

            Prints the last sequence, a checksum of the history and one of the state. Keep it elsewhere: a log that lost its end,
            or was rewritten, does not continue from it. The journal has one for each snapshot, hour and stop.
            """)

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(HeadMethod.self, NoFields()) { [Visible.text($0.head)] }
    }
}
