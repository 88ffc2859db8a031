import Glibc

@testable import LinuxService

/// A datagram socket that a test reads in place of the service manager.
final class NotifySocket: Sendable {
    let name: String
    private let descriptor: Int32

    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let bound = UnixAddress(name)?.withSystemAddress { bind(descriptor, $0, $1) }
        guard bound == 0 else { throw SystemError.last }
    }

    /// The message that has arrived, or nil.
    ///
    /// A datagram has arrived when its sending has returned.
    func next() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes[..<count])
    }

    func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }

    deinit {
        close(descriptor)
    }
}
