internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Writes straight to a channel's socket, as long as nothing waits in the channel.
///
/// A write through the channel costs several times the system call, as measured with 64 callers who each wait for their
/// answer. What the socket does not take at once goes through the channel as ever.
struct DirectOutput {
    private let socket: CInt

    /// Nil for a channel without a socket, as in a test.
    init?(_ channel: any Channel) {
        guard let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, { $0 })
        else { return nil }
        self.socket = socket
    }

    /// How many of the bytes the socket took; after an error none, and the channel will meet the same error.
    func write(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes(write) }

    /// The same for a buffer.
    func write(_ buffer: ByteBuffer) -> Int { buffer.withUnsafeReadableBytes(write) }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, send(socket, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)))
    }
}
