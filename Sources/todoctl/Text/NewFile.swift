import Glibc

/// A file that appears under its name when it is whole.
final class NewFile {
    private let path: String
    private let unfinished: String
    private let descriptor: Int32
    private var isFinished = false

    init(_ path: String) throws(Failure) {
        self.path = path
        // Others may be able to write there: the name is one that nobody can guess, and has to be free.
        unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
        descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(unfinished) }
    }

    func append(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            written += count
        }
    }

    func finish() throws(Failure) {
        guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else { throw Self.failure(path) }
        isFinished = true
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
    }
}
