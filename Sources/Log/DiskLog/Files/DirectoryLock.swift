internal import ChronicleLog
internal import Glibc
internal import LMDB

/// Keeps every other process from a directory, until it is given up or the process ends, however it ends.
struct DirectoryLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Takes the lock, or throws `locked` with the process that has it and does not give it up within two seconds.
    init(directory: String) throws(ActionLogError) {
        let path = "\(directory)/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ELOOP ? Directory.linkToRemove(path) : Directory.error("opening \(path)", code)
        }
        let code = FileLock.take(descriptor)
        if code != 0 {
            close(descriptor)
            guard code == EWOULDBLOCK else { throw .io(what: "locking \(path)", errno: code) }
            throw .locked(pid: SmallFile.line(path).flatMap { Int32($0) } ?? 0)
        }
        self.descriptor = descriptor
        // The pid is for people; the lock holds without it, also on a disk that is full.
        let pid = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, pid, pid.count, 0) }
    }

    deinit {
        // A child that was forked and has not yet begun its program holds the same lock by its copy of the descriptor.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
