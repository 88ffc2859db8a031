internal import CMachine
internal import ChronicleLog
internal import Glibc

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

    /// Removes the caches of earlier versions.
    static func removeOldCaches(in path: String) {
        for name in (try? names(path)) ?? [] where name.hasPrefix("checks-") { unlink("\(path)/\(name)") }
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
