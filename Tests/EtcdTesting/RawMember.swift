import Foundation
import Glibc
import TestSupport

/// A server that answers every request with the same bytes and then says nothing more.
public final class RawMember: Sendable {
    public var endpoint: String { listener.endpoint }
    private let listener: FakeListener
    /// The byte counts of ended connections.
    private let counts = AsyncStream<Int>.makeStream()

    /// - Parameters:
    ///   - bytes: the answer on each connection, once a request arrived.
    ///   - closes: whether the connection is closed then.
    public init(_ bytes: [UInt8], closes: Bool = false) {
        let counts = counts.continuation
        listener = FakeListener { connection in
            var piece = [UInt8](repeating: 0, count: 65_536)
            var count = recv(connection, &piece, piece.count, 0)
            if count > 0 { _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
            while !closes, case let more = recv(connection, &piece, piece.count, 0), more > 0 { count += more }
            close(connection)
            counts.yield(count)
        }
    }

    /// The number of bytes received on a connection, once it has ended.
    public func bytesOfConnection() async -> Int {
        for await count in counts.stream { return count }
        return 0
    }
}
