import Foundation
import Glibc

/// Listens on a port of its own, for as long as somebody holds it, and has each connection served on a thread of its own.
final class FakeListener: Sendable {
    /// Where it is asked.
    let endpoint: String
    private let listener: Int32

    /// - Parameter serve: what is done with a connection; it closes it.
    init(_ serve: @escaping @Sendable (_ connection: Int32) -> Void) {
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
        endpoint = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { serve(connection) }
            }
            close(listener)
        }
    }

    // Whoever waits for a connection is told so, and closes it.
    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }
}
