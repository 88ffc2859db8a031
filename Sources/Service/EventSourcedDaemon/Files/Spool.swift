import Glibc

/// A file without a name, which a client fills before it is looked at; it ends with whoever holds it.
final class Spool: Sendable {
    /// The most that a client may hand over, in bytes.
    static let bytesMax = 1 << 36

    let descriptor: Int32

    // `O_TMPFILE`, which Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    /// Makes an empty one on the file system of a directory, which others may write to as well; `nil` with `errno` set.
    convenience init?(directory: String) {
        let descriptor = open(directory, Self.nameless | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { self.init(descriptor: descriptor) } else { self.init(namedIn: directory) }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Makes one where a file can't be without a name, under one that nobody can guess, and takes that away.
    convenience init?(namedIn directory: String) {
        let path = "\(directory)/import-\(UInt64.random(in: .min ... .max)).new"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        self.init(descriptor: descriptor)
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
