import Glibc

/// What the kernel knows about a socket by its number.
enum UnixSocket {
    /// Whether it listens or is connected; nil when it is no Unix stream socket.
    static func kind(of descriptor: Int32) -> InheritedSocket.Kind? {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
            return nil
        }
        return option(SO_ACCEPTCONN, of: descriptor) == 0 ? .connected : .listening
    }

    /// The path it is bound to; nil when it has none.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // The call fills in an address of any family, so it takes the pointer as one of the general kind.
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
