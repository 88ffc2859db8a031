import Foundation

/// A listening Unix socket in a temporary directory whose connections a test may accept or not.
final class ListeningSocket: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "socket-\(UInt32.random(in: 0 ... .max))").path
    let descriptor: Int32

    /// - Parameter places: the backlog.
    init(places: Int32) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, places) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
