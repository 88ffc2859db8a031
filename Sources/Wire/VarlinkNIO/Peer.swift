internal import Glibc
internal import NIOCore

/// Who is at the other end of a connection, as the kernel says.
public struct Peer: Sendable, Hashable {
    /// The effective user when it connected.
    public var uid: UInt32
    /// The effective group when it connected; its supplementary groups are not told.
    public var gid: UInt32
    /// The process that connected; it may have handed the connection on since.
    public var pid: Int32

    /// The user as whom everybody shows whose own the kernel can't express in this user namespace.
    public static let overflowUID: UInt32 = 65_534
}

extension Peer {
    /// Asks the kernel who connected a channel, nil if it doesn't say.
    init?(of channel: any Channel) throws {
        // The one way that NIO lends a channel's descriptor; it is not kept.
        let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            Peer(ofSocket: $0)
        }
        guard let peer = peer ?? nil else { return nil }
        self = peer
    }

    /// Asks the kernel who connected a Unix socket, nil if it doesn't say.
    init?(ofSocket descriptor: Int32) {
        // The layout of struct ucred, which Glibc shows only to C.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        self.init(uid: credentials.uid, gid: credentials.gid, pid: credentials.pid)
    }
}
