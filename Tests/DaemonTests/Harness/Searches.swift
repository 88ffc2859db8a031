import ProcessTesting
import TodoClient
import Varlink

/// Endless searches of one uid, as many as it may have.
final class Searches {
    // Nested loops over three thousand todos. Each search would take days.
    private static let expression =
        "any(a in todos.items: any(b in todos.items: any(c in todos.items: a.title == b.note and c.id < 0)))"
    private static let ofOneMax = 16

    private static func search(_ expression: String) -> Value {
        ["question": "violations", "expression": .text(expression), "from": ["back": 0]]
    }

    private let daemon: Daemon
    private var clients: [Client] = []

    /// Adds the todos and starts the searches.
    ///
    /// A further search is refused.
    init(_ daemon: Daemon) throws {
        self.daemon = daemon
        let client = try daemon.connect()
        for first in 0..<12 { try client.dispatch((0..<250).map { Actions.add("Todo number \(first * 250 + $0)") }) }
        for _ in 0...Self.ofOneMax {
            let client = try daemon.connect()
            try client.send("org.todod.History.Scan", Self.search(Self.expression), more: true)
            clients.append(client)
        }
        let patience = Deadline(seconds: 60)
        var refused: Client?
        while refused == nil, patience.milliseconds > 0 {
            for client in clients where try Deadline(seconds: 0.01).awaitReadable(client.descriptor) {
                let reply = try client.receive()
                // On a busy machine a search may report its progress first.
                if reply.continues { continue }
                guard Client.short(reply) == "QueryBusy" else { throw Unexpected("a search ended: \(reply)") }
                refused = client
            }
        }
        guard let refused else { throw Unexpected("one more search than allowed was not refused") }
        clients.removeAll { $0 === refused }
    }

    /// Whether a further search is refused.
    var areFull: Bool {
        get throws {
            try Client.short(daemon.connect().ask("org.todod.History.Scan", Self.search("true")))
                == "QueryBusy"
        }
    }

    /// Closes all searches.
    func end() { clients = [] }
}
