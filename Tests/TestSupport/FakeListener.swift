import Foundation
import Glibc

/// A TCP server on a free port of the loopback interface, with one thread per connection; stops when it is released.
public final class FakeListener: Sendable {
    public let port: Int
    public var endpoint: String { "127.0.0.1:\(port)" }
    private let listener: Int32

    /// - Parameter serve: handles a connection and closes it.
    public init(_ serve: @escaping @Sendable (_ connection: Int32) -> Void) {
        let bound = LoopbackSocket()
        let listener = bound.descriptor
        _ = listen(listener, 16)
        self.listener = listener
        port = bound.port
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { serve(connection) }
            }
            close(listener)
        }
    }

    // Ends the pending `accept`; its thread then closes the socket.
    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }
}
