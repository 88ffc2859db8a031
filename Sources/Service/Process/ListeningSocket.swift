import Glibc

/// A socket that the daemon opened itself, with the file by which clients find it.
struct ListeningSocket: Sendable, Equatable {
    /// The listening descriptor; whoever takes it closes it.
    let descriptor: Int32
    /// The path it is bound to.
    let path: String
    let file: FileIdentity

    /// Removes the file at the end, unless another daemon's lies there by now.
    func removeFile() {
        var status = stat()
        guard lstat(path, &status) == 0, FileIdentity(device: status.st_dev, inode: status.st_ino) == file else { return }
        unlink(path)
    }
}
