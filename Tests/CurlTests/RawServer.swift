import Foundation
import Glibc
import Synchronization
import TestSupport

/// Serves each connection on a thread, as a test says, for as long as somebody holds it.
final class RawServer: Sendable {
    let port: Int
    private let listener: CInt
    /// How many connections there were, and how many requests.
    private let counts: Counts

    private final class Counts: Sendable {
        let connections = Atomic(0)
        let requests = Atomic(0)
    }

    var url: String { "http://127.0.0.1:\(port)/" }
    var connections: Int { counts.connections.load(ordering: .sequentiallyConsistent) }
    var requests: Int { counts.requests.load(ordering: .sequentiallyConsistent) }

    /// - Parameter answer: answers a request on a connection; `false` ends the connection.
    init(_ answer: @escaping @Sendable (_ request: String, _ connection: CInt) -> Bool) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = getsockname(listener, $0, &length)
            }
        }
        _ = listen(listener, 16)
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        let counts = Counts()
        self.counts = counts
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                counts.connections.add(1, ordering: .sequentiallyConsistent)
                Thread.detachNewThread {
                    while let request = HTTPRequestText.received(on: connection) {
                        counts.requests.add(1, ordering: .sequentiallyConsistent)
                        guard answer(request, connection) else { break }
                    }
                    close(connection)
                }
            }
            close(listener)
        }
    }

    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }

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
