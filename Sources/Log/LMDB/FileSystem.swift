internal import CLMDB
internal import Glibc

public enum FileSystem {
    /// Free space for this user, in bytes; `nil` if unknown.
    public static func freeBytes(_ path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }

    /// The name of a network file system, where the locks and the shared mapping of LMDB are unsafe; `nil` for any other.
    public static func networkName(_ path: String) throws(LMDBError) -> String? {
        var status = statfs()
        guard statfs(path, &status) == 0 else { throw .io(errno) }
        return networkName(magic: UInt32(truncatingIfNeeded: status.f_type))
    }

    // The magic numbers of linux/magic.h.
    static func networkName(magic: UInt32) -> String? {
        switch magic {
        case 0x6969: "nfs"
        case 0x517B: "smb"
        case 0xFF53_4D42: "cifs"
        case 0xFE53_4D42: "smb2"
        case 0x6573_5546: "fuse"
        case 0x0102_1997: "9p"
        case 0x00C3_6400: "ceph"
        case 0x5346_414F, 0x6B41_4653: "afs"
        case 0x7375_7245: "coda"
        case 0x7461_636F: "ocfs2"
        case 0x0116_1970: "gfs2"
        case 0x0BD0_0BD0: "lustre"
        default: nil
        }
    }
}

/// An exclusive lock on the inode of an open file, independent of its name; closing the descriptor releases it.
public enum FileLock {
    // A killed process keeps its lock until the kernel has freed its memory, possibly gigabytes. A forked child keeps its copy
    // until it executes its program. So the lock is retried for up to two seconds.
    private static let tries = 200
    private static let tryMilliseconds: Int32 = 10

    /// Takes the lock; returns 0, or the errno, which is `EWOULDBLOCK` if another descriptor keeps it.
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
