import ArgumentParser
import Dates
import Terminal
import TodoAPI

struct StatusVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the daemon's status.",
        examples: "todoctl status", "todoctl status --json", "todoctl status --clients")

    @Flag(help: "Show the connections instead: user, process, calls, unread bytes, streams.")
    var clients = false

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        if clients { return try StatusVerb.showClients(session) }
        let program = try session.isJSON ? "" : session.client.service().program
        try session.show(StatusMethod.self, NoFields()) { status in
            StatusVerb.rows(status, of: program, session).map { name, text in Width.padded(name, to: 12) + text }
        }
    }

    private static func showClients(_ session: Session) throws {
        try session.show(ClientsMethod.self, NoFields()) { answer in
            let rows =
                [["uid", "pid", "calls", "waiting", "streams"]]
                + answer.clients.map { client in
                    ["\(client.uid)", "\(client.pid)", "\(client.calls)", Digits.bytes(client.waitingBytes), "\(client.streams)"]
                }
            return rows.map { row in
                row.map { String(repeating: " ", count: max(0, 10 - $0.utf8.count)) + $0 }.joined(separator: " ")
            }
        }
    }

    /// `3, 1 of them follows changes`.
    private static func connected(_ status: StatusMethod.Output) -> String {
        let following = status.subscribers
        guard following > 0 else { return "\(status.clients)" }
        return "\(status.clients), \(following) of them \(following == 1 ? "follows" : "follow") changes"
    }

    /// The description of a capability, or the name of an unknown one.
    static func words(_ capability: String) -> String {
        switch Capability(rawValue: capability) {
        case .writable: "make changes"
        case .durable: "keep changes over a restart"
        case .lastingKeys: "recognize retries permanently"
        case .textConditions: "search text"
        case nil: Visible.text(capability)
        }
    }

    private static func rows(_ status: StatusMethod.Output, of program: String, _ session: Session) -> [(String, String)] {
        let isOnDisk = status.mode != "ephemeral"
        var rows = [
            ("daemon", "\(program) \(Visible.text(status.version)) at \(session.client.socket)"),
            ("started", session.moment(status.started).text),
            ("log ends", "with record \(status.sequence)"),
            ("clients", connected(status)),
            (
                "log",
                "\(Digits.bytes(status.logBytes))\(isOnDisk ? " of \(Digits.bytes(status.mapBytes))" : " in memory") "
                    + "(\(Digits.bytes(status.logGrowthBytes)) since the start)"
            ),
            (
                "snapshot",
                status.snapshot.map { "at \($0.sequence), \(session.moment($0.time).text), \(Digits.bytes($0.bytes))" } ?? "none"
            ),
            ("commands", commands(status)),
        ]
        if isOnDisk { rows.append(("disk", "\(Digits.bytes(status.freeBytes)) free")) }
        if let lock = status.lock {
            rows.insert(
                ("locked", "by uid \(lock.origin) since record \(lock.sequence): \(Visible.text(lock.reason))"), at: 1)
        }
        if let cluster = status.cluster {
            var text = "\(Visible.text(cluster.name)), here \(Visible.text(cluster.node)), with batch \(cluster.batches)"
            if cluster.leading { text += ", which runs the commands" }
            if cluster.away { text += "; nothing can be changed now" }
            if cluster.inDoubt { text += "; the outcome of the last change is not known yet" }
            if cluster.full == true { text += "; the members have no space left" }
            rows.insert(("cluster", text), at: 1)
            if let reason = cluster.reason { rows.insert(("refusal", session.paint(Visible.text(reason), .red)), at: 2) }
            if let standstill = cluster.standstill { rows.insert(("obstacle", session.paint(standstill, .red)), at: 2) }
        }
        if let fork = status.fork {
            let time = fork.time.map { ", \(session.moment($0).text)" } ?? ""
            rows.insert(
                ("fork", "\(Visible.text(fork.name)), of \(Visible.text(fork.socket)) at record \(fork.sequence)\(time)"), at: 0)
        }
        if status.mode != "normal" { rows.insert(("mode", Visible.text(status.mode)), at: 1) }
        if let damage = status.damage {
            rows.append(
                ("damage", "records from \(damage.sequence) on are not served: \(Visible.text(damage.what))"))
        }
        if let base = status.base {
            rows.append(
                status.archive.map { ("archive", "records up to \(base) are in \(Visible.text($0)), or in an earlier one") }
                    ?? ("begins", "after record \(base), with the state after that record"))
        }
        if let behind = status.clockBehind {
            rows.append(("clock", session.paint("\(behind / 1_000_000) seconds behind the log", .red)))
        }
        if let redactions = status.redactions { rows.append(("redacted", redactions == 1 ? "once" : "\(redactions) times")) }
        if let debugged = status.debugged, !debugged.isEmpty {
            rows.append(("debugged", debugged.map(Visible.text).joined(separator: ", ") + "; follow: todoctl debug tail"))
        }
        if let capabilities = status.capabilities { rows.append(("can", capabilities.map(words).joined(separator: ", "))) }
        if status.storageFull {
            rows.append(("storage", session.paint("full: nothing can be changed until there is space", .red)))
        }
        return rows
    }

    /// `2 open: 1 started, 0 parked, 1 held`, or `held, 0 open` if future commands are held.
    static func commands(_ status: StatusMethod.Output) -> String {
        let outbox = status.outbox
        guard status.commandsHeld != true else { return "held, \(outbox.open) open; to release them: todoctl commands release" }
        return "\(outbox.open) open: \(outbox.started) started, \(outbox.parked) parked, \(outbox.held) held"
    }
}

struct MetricsVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print the daemon's metrics as Prometheus text.",
        examples: "todoctl metrics", "todoctl metrics > /var/lib/prometheus/node-exporter/todod.prom")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(MetricsMethod.self, NoFields()) { answer in
            answer.text.split(separator: "\n").map { Visible.text(String($0)) }
        }
    }
}
