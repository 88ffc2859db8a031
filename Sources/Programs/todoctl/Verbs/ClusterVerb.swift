import ArgumentParser
import Dates
import Terminal
import TodoAPI

struct ClusterVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Show how the machines stand that share the log.",
        discussion: """
            EXAMPLES:
              todoctl cluster
              todoctl cluster --json
              todoctl verify --cluster

            The members of the cluster, which leads them, how large their databases are and what they complain of; and the machines that
            share the log, how far each of them is, and which runs the commands. How to set it up: man todod-cluster.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.show(MembersMethod.self, NoFields()) { ClusterVerb.lines(of: $0, session) }
        }
    }

    private static func lines(of answer: MembersMethod.Output, _ session: Session) -> [String] {
        guard let name = answer.name else { return ["The log is this machine's alone: TODOD_CLUSTER is not set."] }
        var lines = [row("log", "\(Visible.text(name)), \(extent(answer))")]
        for member in answer.members ?? [] { lines.append(row("member", words(of: member, session))) }
        for node in answer.nodes ?? [] {
            lines.append(row("machine", words(of: node, isHere: node.name == answer.node, answer, session)))
        }
        if (answer.members ?? []).allSatisfy({ $0.version == nil }) {
            lines.append(session.paint("No member answers: nothing can be changed until one does, and reads go on.", .red))
        } else if answer.batches == nil {
            lines.append(
                session.paint("Too few members reach each other: nothing can be changed until more do, and reads go on.", .red))
        }
        if (answer.members ?? []).contains(where: { $0.alarms?.contains("NOSPACE") == true }) {
            lines.append(
                session.paint("The members have no space left: see WHEN THE MEMBERS ARE FULL in todod-cluster(7).", .red))
        }
        if answer.open == true {
            lines.append(
                session.paint(
                    "Whoever reaches the members can write: authentication is off, or their certificate names a user.", .red))
        }
        return lines
    }

    private static func row(_ name: String, _ text: String) -> String { Width.padded(name, to: 9) + text }

    /// `42 batches, 57 records; the members keep those from 12 on`.
    private static func extent(_ answer: MembersMethod.Output) -> String {
        guard let batches = answer.batches, let sequence = answer.sequence else { return "how long it is nobody says" }
        let kept =
            switch answer.first {
            case nil: batches == 0 ? "" : "; the members keep none of them"
            case 1?: "; the members keep all of them"
            case let first?: "; the members keep those from \(Digits.grouped(first)) on"
            }
        return "\(Digits.grouped(batches)) \(batches == 1 ? "batch" : "batches"), "
            + "\(Digits.grouped(sequence)) \(sequence == 1 ? "record" : "records")\(kept)"
    }

    private static func words(of member: ClusterMemberMessage, _ session: Session) -> String {
        var words = "\(member.name.isEmpty ? "" : "\(Visible.text(member.name)) at ")\(Visible.text(member.address)): "
        if let version = member.version {
            words += "etcd \(Visible.text(version))\(member.leads == true ? ", leads" : "")"
            if let bytes = member.databaseBytes, let used = member.databaseBytesInUse {
                words += ", \(Digits.bytes(bytes)), \(Digits.bytes(used)) of it in use"
            }
        } else {
            words += session.paint("does not answer", .red)
        }
        for alarm in member.alarms ?? [] { words += ", " + session.paint(Visible.text(alarm), .red) }
        return words
    }

    private static func words(
        of node: ClusterNodeMessage, isHere: Bool, _ answer: MembersMethod.Output, _ session: Session
    ) -> String {
        var words = "\(Visible.text(node.name))\(isHere ? " (here)" : ""): "
        switch node.behind {
        case nil: words += "batch \(Digits.grouped(node.batches))"
        case 0?: words += "has all"
        case let behind?: words += "\(Digits.grouped(behind)) \(behind == 1 ? "batch" : "batches") behind"
        }
        words += ", as it said \(session.moment(node.time).text)"
        if node.leading { words += "; runs the commands" }
        if let first = answer.first, node.batches + 1 < first {
            words += session.paint("; what it needs is gone: begin it with a backup of another machine", .red)
        }
        return words
    }
}
