import Glibc

/// A file without a name, which a client fills before it is looked at; it ends with whoever holds it.
final class Spool: Sendable {
    /// The most that a client may hand over, in bytes.
    static let bytesMax = 1 << 36

    let descriptor: Int32

    /// Makes an empty one on the file system of a directory; `nil` with `errno` set.
    init?(directory: String) {
        let path = "\(directory)/import.new"
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// How much it holds, in bytes.
    var byteCount: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_size : 0
    }

    /// Adds bytes at its end; `false` with `errno` set.
    func append(_ bytes: [UInt8]) -> Bool {
        var (written, place) = (0, byteCount)
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = pwrite(descriptor, rest, rest.count, place)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
            place += count
        }
        return true
    }
}
