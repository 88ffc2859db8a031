import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// A loopback HTTP server that answers each request on a separate thread and counts them.
final class WebServer: Sendable {
    private let listener: Int32
    private let count = Atomic<Int>(0)
    let port: UInt16

    var requests: Int { count.load(ordering: .relaxed) }
    var address: String { "http://127.0.0.1:\(port)/" }

    /// Answers every request with the same text.
    convenience init(answering body: String) throws { try self.init { _ in (200, body) } }

    /// Answers with the result of `answer`, which may take any time; `nil` leaves the request unanswered until the client
    /// disconnects.
    init(_ answer: @escaping @Sendable (_ request: String) -> (status: Int, body: String)?) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw SystemFailure(what: "listen") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                self?.count.add(1, ordering: .relaxed)
                Thread.detachNewThread {
                    var request = [UInt8](repeating: 0, count: 16_384)
                    let length = recv(connection, &request, request.count, 0)
                    if let (status, body) = answer(String(decoding: request.prefix(max(0, length)), as: UTF8.self)) {
                        let head = "HTTP/1.1 \(status) \r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n"
                        let text = Array((head + "Connection: close\r\n\r\n" + body).utf8)
                        _ = send(connection, text, text.count, Int32(MSG_NOSIGNAL))
                    } else {
                        _ = recv(connection, &request, request.count, 0)
                    }
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
