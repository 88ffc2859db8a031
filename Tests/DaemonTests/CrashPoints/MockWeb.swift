import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// A local web server that answers every request with 204 and records it.
final class MockWeb: Sendable {
    struct Request: Sendable, Equatable {
        /// Method and path: `PUT /user/starred/owner/name`.
        var line: String
        /// The idempotency key.
        var key: String
    }

    private final class Book: Sendable {
        let requests = Mutex<[Request]>([])
    }

    let address: String
    private let listener: Int32
    private let book = Book()

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SystemFailure(what: "socket") }
        self.listener = listener
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw SystemFailure(what: "listen") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        Thread.detachNewThread { [listener, book] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, errno == EINTR { continue }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Self.serve(connection, book)
                close(connection)
            }
            close(listener)
        }
    }

    // The thread wakes up and closes its descriptors.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The requests for a path, in order.
    func requests(for path: String) -> [Request] {
        book.requests.withLock { $0.filter { $0.line.split(separator: " ").dropFirst().first.map(String.init) == path } }
    }

    private static func serve(_ connection: Int32, _ book: Book) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            bytes += chunk[..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let line = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
        let header = "idempotency-key: "
        let key = lines.first { $0.lowercased().hasPrefix(header) }.map { String($0.dropFirst(header.count)) }
        book.requests.withLock { $0.append(Request(line: line, key: key ?? "")) }
        let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"
        _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
    }
}
