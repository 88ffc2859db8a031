import CMachine
import Glibc
import TodoAPI

enum DirectoryTree {
    private static let bytesMax = ForkMessage.fileBytesMax

    /// Creates a directory with mode 0700, and its parents.
    static func make(_ path: String) throws(Failure) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex else { throw failure(path) }
        try make(String(path[..<end]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
    }

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

    /// Removes a directory tree, or a symbolic link itself.
    ///
    /// Each directory is opened relative to its parent, so that replacing one by a link at the same time can't redirect the
    /// removal.
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

    static func move(_ path: String, to other: String) throws(Failure) {
        guard rename(path, other) == 0 else { throw failure(other) }
        guard let end = other.lastIndex(of: "/") else { return }
        try synchronise(String(other[..<end]))
    }

    /// The content of a small file, or its beginning; `nil` if it can't be read or is not a regular file.
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

/// A lock file, held for the lifetime of the object.
final class ExclusiveFile {
    private let descriptor: Int32

    /// - Throws: `tryAgain` with the sentence if it is locked.
    init(_ path: String, orSay sentence: String) throws(Failure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Failure(.tryAgain, sentence) }
    }

    deinit { close(descriptor) }
}

/// The directory for todoctl's own files: `XDG_STATE_HOME`, or `~/.local/state`.
enum StateDirectory {
    static func path(of name: String) throws(Failure) -> String {
        if let state = Environment.variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/\(name)" }
        guard let home = Environment.variable("HOME"), home.hasPrefix("/") else {
            throw Failure(.usage, "HOME is unset, so there is no directory for \(name): set it, or XDG_STATE_HOME.")
        }
        return "\(home)/.local/state/\(name)"
    }

    /// Whether the text is a valid file name: a letter, then letters, digits, "-", "_" and ".".
    static func isName(_ name: String, bytesMax: Int) -> Bool {
        let isLetter = { (byte: UInt8) in UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
        let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= bytesMax else { return false }
        let marks = Array("-_.".utf8)
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || marks.contains($0) }
    }
}
