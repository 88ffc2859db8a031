import Glibc
import TodoAPI

/// A file that appears under its name when all of it is on disk.
final class ArchiveFile: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(APIError) {
        self.path = path
        descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    func append(_ text: String) throws(APIError) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = Self.failure(path)
                unlink(path + ".new")
                throw failure
            }
            written += count
        }
    }

    /// Flushes the file, gives it its name, and flushes that.
    func finish(in directory: String) throws(APIError) {
        guard fsync(descriptor) == 0, rename(path + ".new", path) == 0 else { throw Self.failure(path) }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure(directory) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure(directory) }
    }

    private static func failure(_ path: String) -> APIError {
        let code = errno
        let message = "\(path): \(String(cString: strerror(code)))."
        return code == ENOSPC || code == EDQUOT ? .storageFull(message: message) : .unreadable(message: message)
    }
}
