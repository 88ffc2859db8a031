internal import Glibc

/// An exclusive lock on the inode of an open file, independent of its name; closing the descriptor releases it.
public enum FileLock {
    // The lock of a killed process is held until the kernel has freed its memory, which may be gigabytes. A forked child holds its
    // copy until it begins its program. So the lock is tried again, for two seconds at most.
    private static let tries = 200
    private static let tryMilliseconds: Int32 = 10

    /// Takes the lock; gives 0, or the errno, which is `EWOULDBLOCK` if another descriptor keeps it.
    public static func take(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        for _ in 0..<tries {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return 0 }
            code = errno
            guard code == EINTR || code == EWOULDBLOCK else { return code }
            poll(nil, 0, tryMilliseconds)
        }
        return code
    }
}
