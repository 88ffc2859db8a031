import Glibc

/// A datagram socket to one address, for messages that may get lost.
final class NotificationSocket: Sendable {
    private let descriptor: Descriptor
    private let address: UnixAddress

    init?(_ address: UnixAddress) {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        descriptor = Descriptor(number)
        self.address = address
    }

    /// Sends one message; false when the other side can't take it now or at all.
    @discardableResult
    func send(_ message: String) -> Bool {
        send(Array(message.utf8))
    }

    /// Sends one message; false when the other side can't take it now or at all.
    @discardableResult
    func send(_ message: [UInt8]) -> Bool {
        address.withSystemAddress { address, length in
            while true {
                // Never waits: a manager or a journal that is stuck must not hold up the daemon.
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                let count = sendto(descriptor.number, message, message.count, flags, address, length)
                if count < 0, errno == EINTR { continue }
                return count == message.count
            }
        }
    }
}
