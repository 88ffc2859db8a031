import Glibc
import TodoAPI

/// The address of a Unix socket: a path, or with a leading `@` a name in the abstract namespace.
struct UnixAddress: Sendable, Equatable {
    /// The longest path in bytes.
    static let pathBytesMax = SocketLocation.pathBytesMax

    let name: String

    /// Rejects names that are empty, too long for the kernel, or contain a zero byte.
    init?(_ name: String) {
        let bytes = name.utf8
        guard !bytes.isEmpty, bytes.count <= Self.pathBytesMax, !bytes.contains(0) else { return nil }
        self.name = name
    }

    /// Passes the address in the kernel's form.
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        // The system's calls take the address as a pointer with its length.
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if bytes[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let pathOffset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        // An abstract name has an explicit length; a path ends with a zero byte.
        let length = pathOffset + bytes.count + (bytes[0] == UInt8(ascii: "@") ? 0 : 1)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

enum UnixSocket {
    /// Whether it listens or is connected; `nil`: no Unix stream socket.
    static func isListening(_ descriptor: Int32) -> Bool? {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
            return nil
        }
        return option(SO_ACCEPTCONN, of: descriptor) != 0
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// An owned file descriptor, closed at the end of its lifetime.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Transfers ownership: the caller closes the descriptor.
    consuming func released() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { close(number) }
}
