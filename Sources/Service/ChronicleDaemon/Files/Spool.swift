import Glibc

/// A temporary file without a name, for uploads; it is removed with its last reference.
final class Spool: Sendable {
    static let bytesMax = 1 << 36

    let descriptor: Int32

    // `O_TMPFILE`, which Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    /// Creates a file on the file system of a directory that others may write to; `nil` with `errno` set.
    convenience init?(directory: String) {
        let descriptor = open(directory, Self.nameless | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { self.init(descriptor: descriptor) } else { self.init(namedIn: directory) }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Creates a file with a random name and unlinks it, for file systems without unnamed files.
    convenience init?(namedIn directory: String) {
        let path = "\(directory)/import-\(UInt64.random(in: .min ... .max)).new"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        self.init(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    var byteCount: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_size : 0
    }

    /// Appends bytes; `false` with `errno` set.
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
