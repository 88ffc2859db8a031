import Foundation
import Glibc

/// An address of this machine at which connections are begun, and never made.
public final class SilentAddress: Sendable {
    private struct Failure: Error {}

    private let sockets: [Int32]

    /// - Parameter port: at the loopback address of IPv6.
    public init(_ port: UInt16) throws {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        // Those that nobody accepts fill the queue, and others wait for a place in it.
        let waiting = (0..<4).map { _ in socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
        sockets = [listener] + waiting
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, size) == 0, listen(listener, 0) == 0 else { return false }
                for one in waiting { _ = connect(one, address, size) }
                return true
            }
        }
        guard isBound else { throw Failure() }
    }

    /// Has nobody wait there any more.
    public func close() { for one in sockets { _ = Glibc.close(one) } }
}
