internal import ChronicleLog
internal import Glibc
internal import LMDB

/// Locks a directory against other processes until it is released or the process ends in any way.
struct DirectoryLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Throws `locked` with the pid of the holder if it does not release the lock within two seconds.
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
        // The pid is for people. The lock holds without it, even on a full disk.
        let pid = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, pid, pid.count, 0) }
    }

    deinit {
        // A forked child that has not executed its program yet shares the lock through its copy of the descriptor.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
