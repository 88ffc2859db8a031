import Foundation
import Glibc

/// Listens on a port of its own, for as long as somebody holds it, and has each connection served on a thread of its own.
public final class FakeListener: Sendable {
    public let port: Int
    public var endpoint: String { "127.0.0.1:\(port)" }
    private let listener: Int32

    /// - Parameter serve: what is done with a connection; it closes it.
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

    // Whoever waits for a connection is told so, and closes it.
    deinit { _ = shutdown(listener, Int32(SHUT_RDWR)) }
}
