import Foundation
import Glibc
import TestSupport

/// A proxy to a member that forwards requests slowly and answers at once.
public final class SlowRelay: Sendable {
    public var endpoint: String { listener.endpoint }
    private let listener: FakeListener

    public init(to member: String, bytesPerSecond: Int) {
        listener = FakeListener { near in
            guard let far = FakeMember.connect(to: member) else {
                close(near)
                return
            }
            // A small buffer, so that little data is sent but not yet received.
            var bytes = Int32(16_384)
            setsockopt(near, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
            Thread.detachNewThread { Self.carry(from: far, to: near, nil) }
            Self.carry(from: near, to: far, bytesPerSecond)
        }
    }

    private static func carry(from: Int32, to: Int32, _ bytesPerSecond: Int?) {
        var piece = [UInt8](repeating: 0, count: bytesPerSecond.map { $0 / 50 } ?? 65_536)
        while case let count = recv(from, &piece, piece.count, 0), count > 0 {
            guard send(to, piece, count, Int32(MSG_NOSIGNAL)) == count else { break }
            if let bytesPerSecond { usleep(UInt32(count * 1_000_000 / bytesPerSecond)) }
        }
        _ = shutdown(to, Int32(SHUT_RDWR))
    }
}
