import Glibc

/// What makes a file this one and no other, whatever its name.
struct FileIdentity: Sendable, Equatable {
    var device: UInt
    var inode: UInt

    /// Tells the running executable from any other, and from what is written in its place later.
    static var ofExecutable: String {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return "" }
        return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
