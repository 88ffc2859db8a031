import ArgumentParser
import Dates
import Terminal
import TodoAPI

struct ClusterVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Show the machines that share the log.",
        discussion: """
            EXAMPLES:
              todoctl cluster
              todoctl cluster --json
              todoctl verify --cluster

            Shows how far each machine is, and which one runs the commands. The members of the etcd cluster are shown by etcdctl
            endpoint status, etcdctl member list and etcdctl alarm list. Setup and operation: man todod-cluster.
            """)

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(MachinesMethod.self, NoFields()) { answer throws(Failure) in
            let cluster = answer.name == nil ? nil : try session.client.call(StatusMethod.self, NoFields()).cluster
            return ClusterVerb.rows(of: answer, cluster, now: Clock.now(), session).flatMap {
                $0.lines(width: session.width, session.paint)
            }
        }
    }

    /// - Parameter cluster: the status of this machine.
    static func rows(
        of answer: MachinesMethod.Output, _ cluster: ClusterMessage?, now: Int64, _ session: Session
    ) -> [ClusterRow] {
        guard let name = answer.name else {
            return [ClusterRow(words: "The log is this machine's alone: TODOD_CLUSTER is not set.")]
        }
        let isFull = cluster?.full == true
        var rows = [ClusterRow("log", words: "\(Visible.text(name)), \(extent(answer))")]
        rows += (answer.nodes ?? []).map { row(of: $0, answer, isFull: isFull, now: now, session) }
        let complaints = [
            answer.reason.map { "Nothing can be changed: \(Visible.text($0))" },
            isFull ? "The members have no space left: see WHEN THE MEMBERS ARE FULL in todod-cluster(7)." : nil,
            cluster?.standstill,
        ]
        return rows + complaints.compactMap(\.self).map { ClusterRow(words: $0, isBad: true) }
    }

    /// `42 batches, 57 records; the members keep the batches from 12 on`.
    private static func extent(_ answer: MachinesMethod.Output) -> String {
        guard let batches = answer.batches, let sequence = answer.sequence else { return "length unknown" }
        let kept =
            switch answer.first {
            case nil: batches == 0 ? "" : "; the members keep none of them"
            case 1?: "; the members keep all batches"
            case let first?: "; the members keep the batches from \(Digits.grouped(first)) on"
            }
        return "\(Digits.counted(batches, "batch", "batches")), \(Digits.counted(sequence, "record"))\(kept)"
    }

    private static func row(
        of node: ClusterNodeMessage, _ answer: MachinesMethod.Output, isFull: Bool, now: Int64, _ session: Session
    ) -> ClusterRow {
        let isHere = node.name == answer.node
        var row = ClusterRow("machine", words: "\(Visible.text(node.name))\(isHere ? " (here)" : ""): ")
        switch node.behind {
        // A machine with an obstacle has something other than the rest, even with the same number of batches.
        case 0? where node.obstacle == nil: row.words += "has all"
        case nil, 0?: row.words += "batch \(Digits.grouped(node.batches))"
        case let behind?: row.words += "\(Digits.counted(behind, "batch", "batches")) behind"
        }
        // Full members accept no reports, and the machine that trims has all batches that it removes.
        if !isHere, isFull {
            row.words += ", as it said \(session.moment(node.time).text) or later: the members have no space for its report"
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
        // This machine reports its own obstacle.
        if let first = answer.first, first > 0, node.batches < first - 1, !node.leading, !isFull, node.obstacle == nil {
            row.words += "; the batches it needs are gone: begin it with a backup of another machine"
            row.isBad = true
        }
        return row
    }

    /// Machines report once a minute, and their position some seconds after a change.
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
    /// Why this machine does not follow the others, if it does not.
    var standstill: String? { obstacle.map { "This machine \(Self.standstill($0))" } }

    fileprivate static func standstill(_ obstacle: String) -> String {
        "does not follow the others, and shows only what it has: \(Visible.text(obstacle))"
    }
}

struct ClusterRow: Equatable {
    private static let nameColumns = 9

    /// The subject; empty for all machines.
    var name: String
    var words: String
    /// Whether a person has to act.
    var isBad: Bool

    init(_ name: String = "", words: String, isBad: Bool = false) { (self.name, self.words, self.isBad) = (name, words, isBad) }

    /// Wraps to the terminal's width; `nil` for no wrapping.
    func lines(width: Int?, _ paint: Paint) -> [String] {
        let indent = name.isEmpty ? 0 : Self.nameColumns
        let parts = width.map { ScreenModel.wrapped(words, to: max($0 - indent, 1)) } ?? [words]
        return parts.enumerated().map { index, part in
            Width.padded(index == 0 ? name : "", to: indent) + (isBad ? paint(part, .red) : part)
        }
    }
}
