internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The credentials of the process that opened a connection, as reported by the kernel (`SO_PEERCRED`).
public struct Peer: Sendable, Hashable {
    /// The effective user ID at connect time.
    public var uid: UInt32
    /// The effective group ID at connect time; supplementary groups are not reported.
    public var gid: UInt32
    /// The process ID at connect time; the connection may have been passed to another process since.
    public var pid: Int32
}

/// The socket of a channel; NIO offers no other access to it.
struct ChannelSocket {
    private let descriptor: CInt

    /// Returns nil for a channel without a socket, such as a test channel.
    init?(_ channel: any Channel) {
        guard let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, { $0 })
        else { return nil }
        descriptor = socket
    }

    /// The credentials of the peer; nil if the kernel doesn't report any.
    var peer: Peer? {
        // The layout of C's struct ucred, which Glibc does not export to Swift.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return Peer(uid: credentials.uid, gid: credentials.gid, pid: credentials.pid)
    }

    /// Writes directly to the socket while the channel's own buffer is empty; returns the number of bytes that the socket accepted.
    ///
    /// A write through the channel costs several times the system call, measured with 64 callers that each wait for their reply. The
    /// channel writes the bytes that the socket doesn't accept at once, and meets the error after which this returns 0.
    func write(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes(write) }
    func write(_ buffer: ByteBuffer) -> Int { buffer.withUnsafeReadableBytes(write) }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)))
    }
}
