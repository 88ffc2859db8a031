import ArgumentParser
import Dates
import Terminal
import TodoAPI

struct ClusterVerb: SessionCommand {
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

    func run(_ session: Session) throws {
        try session.show(MembersMethod.self, NoFields()) { answer throws(Failure) in
            var rows = ClusterVerb.rows(of: answer, now: Clock.now(), session)
            if answer.name != nil, let words = try session.client.call(StatusMethod.self, NoFields()).cluster?.standstill {
                rows.append(ClusterRow(words: words, isBad: true))
            }
            return rows.flatMap { $0.lines(width: session.width, session.paint) }
        }
    }

    static func rows(of answer: MembersMethod.Output, now: Int64, _ session: Session) -> [ClusterRow] {
        guard let name = answer.name else {
            return [ClusterRow(words: "The log is this machine's alone: TODOD_CLUSTER is not set.")]
        }
        let members = answer.members ?? []
        var rows = [ClusterRow("log", words: "\(Visible.text(name)), \(extent(answer))")]
        rows += members.map { row(of: $0) }
        rows += (answer.nodes ?? []).map { row(of: $0, answer, now: now, session) }
        rows += complaints(answer, members).map { ClusterRow(words: $0, isBad: true) }
        return rows
    }

    private static func complaints(_ answer: MembersMethod.Output, _ members: [ClusterMemberMessage]) -> [String] {
        var complaints: [String] = []
        if members.contains(where: { $0.isDenied }) || answer.batches != nil
            || members.allSatisfy({ $0.version != nil || $0.isUnlisted })
        {
            if let reason = answer.reason { complaints.append("Nothing can be changed: \(Visible.text(reason))") }
        } else if members.allSatisfy({ $0.version == nil && !$0.lacksLeader }) {
            complaints.append("No member answers: nothing can be changed until most do, and reads go on.")
        } else if answer.batches == nil {
            complaints.append("Too few members reach each other: nothing can be changed until most do, and reads go on.")
        }
        if answer.isFull {
            complaints.append("The members have no space left: see WHEN THE MEMBERS ARE FULL in todod-cluster(7).")
        }
        if answer.open == true {
            complaints.append("Whoever reaches the members can write: authentication is off, or their certificate names a user.")
        }
        return complaints
    }

    /// `42 batches, 57 records; the members keep the batches from 12 on`.
    private static func extent(_ answer: MembersMethod.Output) -> String {
        guard let batches = answer.batches, let sequence = answer.sequence else { return "how long it is nobody says" }
        let kept =
            switch answer.first {
            case nil: batches == 0 ? "" : "; the members keep none of them"
            case 1?: "; the members keep all batches"
            case let first?: "; the members keep the batches from \(Digits.grouped(first)) on"
            }
        return "\(Digits.counted(batches, "batch", "batches")), \(Digits.counted(sequence, "record"))\(kept)"
    }

    private static func row(of member: ClusterMemberMessage) -> ClusterRow {
        var words = [member.name, member.address].filter { !$0.isEmpty }.map(Visible.text).joined(separator: " at ") + ": "
        if let version = member.version {
            words += "etcd \(Visible.text(version))\(member.leads == true ? ", leads" : "")"
            if let bytes = member.databaseBytes, let used = member.databaseBytesInUse {
                words += ", \(Digits.bytes(bytes)), \(Digits.bytes(used)) of it in use"
            }
        } else {
            words += member.trouble
        }
        let alarms = (member.alarms ?? []).filter { !ClusterMemberMessage.told.contains($0) }
        for alarm in alarms { words += ", " + Visible.text(alarm) }
        return ClusterRow("member", words: words, isBad: member.version == nil || !alarms.isEmpty)
    }

    private static func row(
        of node: ClusterNodeMessage, _ answer: MembersMethod.Output, now: Int64, _ session: Session
    ) -> ClusterRow {
        let isHere = node.name == answer.node
        var row = ClusterRow("machine", words: "\(Visible.text(node.name))\(isHere ? " (here)" : ""): ")
        switch node.behind {
        // Of another log, or of what it can't read, it has something else than the others.
        case 0? where node.obstacle == nil: row.words += "has all"
        case nil, 0?: row.words += "batch \(Digits.grouped(node.batches))"
        case let behind?: row.words += "\(Digits.counted(behind, "batch", "batches")) behind"
        }
        // Nobody can write how far it is then, and whoever made room has all that it removed.
        if !isHere, answer.isFull {
            row.words += ", as it said \(session.moment(node.time).text) or later: the members have no space for its word"
        } else if !isHere {
            let silence = now.subtractingReportingOverflow(node.time)
            let seconds = silence.overflow ? 0 : silence.partialValue / 1_000_000
            row.words +=
                seconds > silenceSecondsMax
                ? ", not heard of for \(Self.text(seconds: seconds))" : ", as it said \(session.moment(node.time).text)"
        }
        if node.leading { row.words += "; runs the commands" }
        if let obstacle = node.obstacle, !isHere {
            row.words += "; \(ClusterMessage.standstill(obstacle))"
            row.isBad = true
        }
        // A machine that knows it says so itself.
        if let first = answer.first, first > 0, node.batches < first - 1, !node.leading, !answer.isFull, node.obstacle == nil {
            row.words += "; what it needs is gone: begin it with a backup of another machine"
            row.isBad = true
        }
        return row
    }

    /// A machine says once a minute that it is there; what it has taken in within that minute it says some seconds later.
    private static let silenceSecondsMax: Int64 = 90

    private static func text(seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension ClusterMessage {
    /// That this machine no longer takes in what others write, and why; `nil`: it does.
    var standstill: String? { obstacle.map { "This machine \(Self.standstill($0))" } }

    /// What is said of any machine of which that is so.
    fileprivate static func standstill(_ obstacle: String) -> String {
        "does not follow the others, and shows only what it has: \(Visible.text(obstacle))"
    }
}

extension MembersMethod.Output {
    /// Whether members have no space left.
    fileprivate var isFull: Bool { members?.contains { $0.alarms?.contains("NOSPACE") == true } ?? false }
}

extension ClusterMemberMessage {
    /// What a member complains of that answers, and can do nothing because it knows no leader.
    fileprivate static let noLeader = "NOLEADER"

    /// What one complains of that refuses this machine, or is refused by it.
    fileprivate static let denied = "DENIED"

    /// What one complains of that belongs to another cluster.
    fileprivate static let foreign = "FOREIGN"

    /// What one is said to complain of that the daemon does not ask.
    fileprivate static let unlisted = "UNLISTED"

    /// What is said in words.
    fileprivate static let told = [noLeader, denied, foreign, unlisted]

    /// Why it does not say how it is doing.
    fileprivate var trouble: String {
        if lacksLeader { return "answers, has no leader" }
        if alarms?.contains(Self.foreign) == true { return "is a member of another cluster" }
        if isUnlisted { return address.isEmpty ? "has not begun yet" : "is not asked: TODOD_CLUSTER does not name it" }
        return isDenied ? "can't be asked by this machine" : "does not answer"
    }

    fileprivate var isUnlisted: Bool { alarms?.contains(Self.unlisted) == true }

    fileprivate var isDenied: Bool { alarms?.contains(Self.denied) == true }

    fileprivate var lacksLeader: Bool { alarms?.contains(Self.noLeader) == true }
}

/// What is shown of one member or machine, or of all of them.
struct ClusterRow: Equatable {
    private static let nameColumns = 9

    /// What it is about; empty: of all.
    var name: String
    var words: String
    /// Whether somebody has to do something about it.
    var isBad: Bool

    init(_ name: String = "", words: String, isBad: Bool = false) { (self.name, self.words, self.isBad) = (name, words, isBad) }

    /// In lines of a terminal's width; `nil`: in one.
    func lines(width: Int?, _ paint: Paint) -> [String] {
        let indent = name.isEmpty ? 0 : Self.nameColumns
        let parts = width.map { ScreenModel.wrapped(words, to: max($0 - indent, 1)) } ?? [words]
        return parts.enumerated().map { index, part in
            Width.padded(index == 0 ? name : "", to: indent) + (isBad ? paint(part, .red) : part)
        }
    }
}
