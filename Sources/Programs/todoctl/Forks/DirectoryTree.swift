import CMachine
import Glibc
import TodoAPI

/// Directories and small files of the user.
enum DirectoryTree {
    /// The largest file that is read, in bytes.
    private static let bytesMax = ForkMessage.fileBytesMax

    /// Makes a directory that only its owner may enter, and those above it, where there is none.
    static func make(_ path: String) throws(Failure) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex else { throw failure(path) }
        try make(String(path[..<end]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
    }

    /// The names in a directory; none where it is not there.
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        return names(in: directory)
    }

    private static func names(in directory: OpaquePointer) -> [String] {
        var names: [String] = []
        while let name = directory_next(directory).map({ String(cString: $0) }) {
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a directory with all that is in it; of a symbolic link the link alone.
    ///
    /// Each directory is gone into from the one above it, so that nobody who puts a link in its place meanwhile leads elsewhere.
    static func remove(_ path: String) throws(Failure) { try remove(path, in: AT_FDCWD, path) }

    private static func remove(_ name: String, in parent: Int32, _ path: String) throws(Failure) {
        let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            guard errno == ENOTDIR || errno == ELOOP else { throw failure(path) }
            guard unlinkat(parent, name, 0) == 0 || errno == ENOENT else { throw failure(path) }
            return
        }
        guard let directory = fdopendir(descriptor) else {
            close(descriptor)
            throw failure(path)
        }
        defer { closedir(directory) }
        for name in names(in: directory) { try remove(name, in: descriptor, "\(path)/\(name)") }
        guard unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw failure(path) }
    }

    /// Gives a directory its name, for good.
    static func move(_ path: String, to other: String) throws(Failure) {
        guard rename(path, other) == 0 else { throw failure(other) }
        guard let end = other.lastIndex(of: "/") else { return }
        try synchronise(String(other[..<end]))
    }

    /// What a small file holds, or its beginning; `nil`: it can't be read, or is no file.
    static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    /// Writes a small file, which appears when it is whole.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let file = try NewFile(path, replaces: true)
        try file.append(String(decoding: bytes, as: UTF8.self))
        try file.finish()
    }

    private static func synchronise(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
    }
}

/// Sees to it that nobody else does the same, until it goes.
final class ExclusiveFile {
    private let descriptor: Int32

    /// - Throws: `tryAgain` with the sentence where somebody else does.
    init(_ path: String, orSay sentence: String) throws(Failure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Failure(.tryAgain, sentence) }
    }

    deinit { close(descriptor) }
}
