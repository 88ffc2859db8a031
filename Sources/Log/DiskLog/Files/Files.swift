internal import CMachine
public import ChronicleLog
internal import Glibc
internal import LMDB

/// A file that gets its name once it is complete, and is removed if it never is.
public struct OutputFile: ~Copyable {
    /// Whether a file survives a power failure; without durability it may be torn.
    public enum Durability: Sendable { case full, none }

    public static let temporarySuffix = ".new"

    private let directory: String
    private let path: String
    let descriptor: Int32
    private var isNamed = false

    /// Creates a file with mode 0600.
    public init(_ name: String, in directory: String) throws(ActionLogError) {
        self.directory = directory
        path = "\(directory)/\(name)"
        // Removes a leftover file or a planted link, whose target must not be written to.
        unlink(path + Self.temporarySuffix)
        descriptor = open(path + Self.temporarySuffix, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Directory.error("writing \(path)", errno) }
    }

    deinit {
        close(descriptor)
        if !isNamed { unlink(path + Self.temporarySuffix) }
    }

    public mutating func append(_ bytes: RawSpan) throws(ActionLogError) {
        let code = bytes.withUnsafeBytes { buffer -> Int32 in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        guard code == 0 else { throw Directory.error("writing \(path)", code) }
    }

    mutating func set(_ number: UInt64, at offset: Int) throws(ActionLogError) {
        var bytes = number.littleEndian
        guard pwrite(descriptor, &bytes, 8, offset) == 8 else { throw Directory.error("writing \(path)", errno) }
    }

    /// Makes the bytes durable, renames the file, and makes the name durable.
    public mutating func finish(_ durability: Durability = .full) throws(ActionLogError) {
        guard durability == .none || fsync(descriptor) == 0 else { throw Directory.error("writing \(path)", errno) }
        guard rename(path + Self.temporarySuffix, path) == 0 else { throw Directory.error("writing \(path)", errno) }
        isNamed = true
        if durability == .full { try Directory.synchronise(directory) }
    }

    static func write(
        _ first: RawSpan, _ second: RawSpan = RawSpan(), name: String, directory: String, durability: Durability = .full
    ) throws(ActionLogError) {
        var file = try OutputFile(name, in: directory)
        try file.append(first)
        try file.append(second)
        try file.finish(durability)
    }
}

struct InputFile: ~Copyable {
    private let descriptor: Int32
    let byteCount: Int

    /// Opens a file; `nil` on failure, with `errno` set.
    init?(_ path: String) {
        // A FIFO in its place then reads as empty instead of blocking.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        byteCount = status.st_size
    }

    deinit { close(descriptor) }

    func next(_ count: Int) -> [UInt8] { filled(count) { Glibc.read(descriptor, $0, $1) } }

    /// The bytes at an offset, independent of the read position; fewer at the end of the file.
    func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        var offset = offset
        return filled(count) { place, count in
            let read = pread(descriptor, place, count, offset)
            offset += max(0, read)
            return read
        }
    }

    private func filled(_ count: Int, _ readMore: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
        // All empty arrays share one storage, which this initializer writes to.
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = readMore(buffer.baseAddress.map { $0 + filled }, count - filled)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                filled += read
            }
        }
    }
}

package enum SmallFile {
    static let bytesMax = 65_536

    /// All bytes of a file; `nil` if it cannot be read, with `errno` set.
    static func bytes(_ path: String) -> [UInt8]? {
        // Files of the kernel report no size.
        errno = 0
        let bytes = InputFile(path)?.next(bytesMax)
        // A failed read returns too few bytes, so a log would look new.
        return errno == 0 || errno == EINTR ? bytes : nil
    }

    package static func line(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }
}

extension ActionLogError {
    public static func io(what: String, errno: Int32) -> ActionLogError { .io("\(what): \(systemText(errno))") }
}

func systemText(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

/// The file name of an archive, which contains the range of its records.
public struct ArchiveName: Sendable, Equatable {
    private static let prefix = "archive-"
    private static let suffix = ".jsonl.zst"

    public let first: UInt64
    public let last: UInt64

    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix) else { return nil }
        let numbers = text.dropFirst(Self.prefix.utf8.count).dropLast(Self.suffix.utf8.count).split(separator: "-")
        guard numbers.count == 2, let first = UInt64(numbers[0]), let last = UInt64(numbers[1]) else { return nil }
        self.init(first: first, last: last)
        guard self.text == text else { return nil }
    }

    public var text: String { "\(Self.prefix)\(first)-\(last)\(Self.suffix)" }

    /// The archives in a directory, sorted by their last record.
    public static func all(in directory: String) throws(ActionLogError) -> [ArchiveName] {
        try Directory.names(directory).compactMap(ArchiveName.init).sorted { ($0.last, $0.first) < ($1.last, $1.first) }
    }
}

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

enum Directory {
    /// Creates a directory with mode 0700, and missing parents; returns the created ones, the outermost first.
    @discardableResult
    static func create(_ path: String) throws(ActionLogError) -> [String] {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .io(what: "opening \(path)", errno: ENOTDIR) }
            return []
        }
        let parent = parent(path)
        let above = parent != path ? try create(parent) : []
        do throws(ActionLogError) {
            guard try make(path) else { return above }
            try synchronise(parent)
        } catch {
            for path in above.reversed() { rmdir(path) }
            throw error
        }
        return above + [path]
    }

    /// Creates a directory with mode 0700; `false` if the name exists.
    static func make(_ path: String) throws(ActionLogError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw error("creating \(path)", errno) }
        return false
    }

    /// Creates a directory or accepts an empty one; returns the created ones, the outermost first.
    static func createEmpty(_ path: String) throws(ActionLogError) -> [String] {
        let made = try create(path)
        guard try isEmpty(path) else { throw notEmpty(path) }
        return made
    }

    static func isEmpty(_ path: String, but name: String = ".") throws(ActionLogError) -> Bool {
        try names(path).allSatisfy { [".", "..", name].contains($0) }
    }

    static func notEmpty(_ path: String) -> ActionLogError { .notPermitted(what: "\(path) is not empty") }

    static func linkToRemove(_ path: String) -> ActionLogError {
        .notPermitted(what: "\(path) is a symbolic link: remove it")
    }

    /// Refuses a directory or file that others may write to, as ssh does, and a symbolic link or a file with several hard links.
    ///
    /// LMDB keeps its locks next to the opened path, so processes that use two paths overwrite each other's records.
    static func requireOwn(_ directory: String, _ name: String) throws(ActionLogError) {
        for path in [directory + "/", "\(directory)/\(name)"] {
            var status = stat()
            // With the slash, `lstat` follows a link to a directory.
            guard lstat(path, &status) == 0 else { continue }
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFLNK else {
                throw .notPermitted(what: "\(path) is a symbolic link: replace it with the file that it points to")
            }
            guard kind == S_IFDIR || status.st_nlink <= 1 else {
                throw .notPermitted(
                    what: "\(path) has \(status.st_nlink) hard links: remove the others, or replace it with a copy (cp \(path) "
                        + "\(path).copy && mv \(path).copy \(path))")
            }
            guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
                throw .notPermitted(what: "other users can write to \(path): chmod go-w \(path)")
            }
        }
    }

    /// Whether a path is a symbolic link, ignoring trailing slashes.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return lstat(String(path), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    static func move(_ path: String, to other: String) throws(ActionLogError) {
        guard rename(path, other) == 0 else { throw error("writing \(other)", errno) }
    }

    /// Removes a directory that contains only files, if it exists; of a link, only the link.
    static func remove(_ path: String) {
        if isLink(path) { unlink(path) }
        for name in (try? names(path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Removes temporary files of an earlier process.
    static func removeUnfinished(in path: String) throws(ActionLogError) {
        for name in try names(path) where name.hasSuffix(OutputFile.temporarySuffix) {
            unlink("\(path)/\(name)")
            remove("\(path)/\(name)")
        }
    }

    static func synchronise(_ path: String) throws(ActionLogError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("opening \(path)", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error("flushing \(path)", errno) }
    }

    static func names(_ path: String) throws(ActionLogError) -> [String] {
        guard let directory = opendir(path) else { throw error("reading \(path)", errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let name = directory_next(directory) { names.append(String(cString: name)) }
        return names
    }

    static func error(_ what: String, _ code: Int32) -> ActionLogError {
        switch code {
        case EACCES, EPERM, EROFS: .notPermitted(what: "\(what): \(systemText(code))")
        case ENOSPC, EDQUOT, EFBIG: .storageFull(.disk, message: "\(what): \(systemText(code))")
        default: .io(what: what, errno: code)
        }
    }

    private static func parent(_ path: String) -> String {
        var parts = path.split(separator: "/")
        guard !parts.isEmpty else { return path }
        parts.removeLast()
        if path.hasPrefix("/") { return "/" + parts.joined(separator: "/") }
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }
}
