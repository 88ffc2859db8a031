import Glibc
import Synchronization
import TestSupport

/// A server with a thread for each connection, whose behavior a test chooses.
///
/// Stops when it is released.
final class RawServer: Sendable {
    private let listener: FakeListener
    /// The numbers of connections and requests.
    private let counts: Counts

    private final class Counts: Sendable {
        let connections = Atomic(0)
        let requests = Atomic(0)
    }

    var port: Int { listener.port }
    var url: String { "http://\(listener.endpoint)/" }
    var connections: Int { counts.connections.load(ordering: .sequentiallyConsistent) }
    var requests: Int { counts.requests.load(ordering: .sequentiallyConsistent) }

    /// - Parameter answer: answers a request on a connection; `false` ends the connection.
    init(_ answer: @escaping @Sendable (_ request: String, _ connection: CInt) -> Bool) {
        let counts = Counts()
        self.counts = counts
        listener = FakeListener { connection in
            counts.connections.add(1, ordering: .sequentiallyConsistent)
            while let request = HTTPRequestText.received(on: connection) {
                counts.requests.add(1, ordering: .sequentiallyConsistent)
                guard answer(request, connection) else { break }
            }
            close(connection)
        }
    }

    @discardableResult
    static func send(_ text: String, _ connection: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = Glibc.send(connection, Array(rest), rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
