public import Chronicle
import Glibc

public struct FileContents: Sendable {
    public let bytes: [UInt8]
    public let owner: UInt32
    public let mode: UInt32

    /// Reads a regular file; pipes and devices are refused because they might never end.
    ///
    /// Blocks for the duration of the disk access, so the limit should be small.
    /// - Throws: a permanent failure that says what is wrong with the file.
    public init(of path: String, bytesMax: Int) throws(CommandFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(path) is not a regular file.", isPermanent: true)
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path) }
            guard count > 0 else { break }
            bytes += block[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure("\(path) has more than \(bytesMax) bytes.", isPermanent: true)
            }
        }
        self.bytes = bytes
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure("\(path) can't be read: \(String(cString: strerror(errno)).lowercased()).", isPermanent: true)
    }
}
