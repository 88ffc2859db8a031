public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Copies the log into a new or empty directory while it is in use; returns the copy's head.
    ///
    /// Opening the copy for writing begins a new epoch with all commands held. Throws `notPermitted` if the directory is not
    /// empty, is a symbolic link or can't be written, and `storageFull`.
    public func backUp(to directory: String) throws(ActionLogError) -> Head {
        guard !Directory.isLink(directory) else { throw .notPermitted(what: "\(directory) is a symbolic link") }
        return try Self.copying(to: directory) { (file) throws(ActionLogError) in
            do throws(LMDBError) { try environment.copy(to: file.descriptor) } catch {
                throw ActionLogError(copying: error, to: directory, environment)
            }
        }
    }

    /// Copies a backup, or a log that no process has open, into a new or empty directory.
    ///
    /// The copy appears complete or not at all, even after a crash; it is not opened. Opening it for writing begins a new epoch
    /// with all commands held. Throws `noLog` if there is no backup.
    ///
    /// - Parameters:
    ///   - sharedLog: a complete copy of this shared log stays its copy; any other copy is detached before it becomes visible.
    ///   - cut: receives the unfinished copy, read-only and up to its first damage, and returns what to cut it down to; `nil`
    ///     keeps all of it. If it throws, nothing is left.
    public static func restore(
        from backup: String, to directory: String, asCopyOf sharedLog: String? = nil,
        cuttingTo cut: ((LMDBActionLog) throws(ActionLogError) -> DerivedRows)? = nil
    ) throws(ActionLogError) -> Head {
        let staysCopy: (ReplicaPlace) -> Bool = { cut == nil && $0.name == sharedLog }
        try requireLog(in: backup)
        guard let source = InputFile("\(backup)/data.mdb") else { throw Directory.error("reading \(backup)/data.mdb", errno) }
        return try copying(to: directory, cuttingTo: cut, where: staysCopy) { (file) throws(ActionLogError) in
            try requireSafePlace(directory)
            while true {
                let piece = source.next(1 << 20)
                if piece.isEmpty { break }
                try file.append(piece.span.bytes)
            }
        }
    }

    // The copy is made in a private subdirectory and moved when complete. After a failure that subdirectory is removed last,
    // because it keeps other copies away.
    private static func copying(
        to directory: String, cuttingTo cut: ((LMDBActionLog) throws(ActionLogError) -> DerivedRows)? = nil,
        where staysCopy: (ReplicaPlace) -> Bool = { _ in true },
        _ copy: (inout OutputFile) throws(ActionLogError) -> Void
    ) throws(ActionLogError) -> Head {
        let (unfinished, made) = try beginCopy(in: directory)
        do throws(ActionLogError) {
            var file = try OutputFile(dataFile, in: unfinished)
            try copy(&file)
            try file.finish(.none)
            if let cut { try Self.cut(unfinished, to: try cut(try openReadOnly(directory: unfinished))) }
            let head = try markAsCopy(unfinished, where: staysCopy)
            try Directory.move("\(unfinished)/\(dataFile)", to: "\(directory)/\(dataFile)")
            // The log is complete without the head. A head without data would block the next attempt.
            try? Directory.move("\(unfinished)/\(headFile)", to: "\(directory)/\(headFile)")
            Directory.remove(unfinished)
            try Directory.synchronise(directory)
            return head
        } catch {
            for name in [headFile, dataFile] { unlink("\(directory)/\(name)") }
            Directory.remove(unfinished)
            for path in made.reversed() { rmdir(path) }
            throw error
        }
    }

    /// Creates the directory of an unfinished copy; also returns the created parents, the outermost first.
    ///
    /// Of concurrent attempts, in any process, one succeeds; the others find the directory not empty and must remove nothing in
    /// it.
    private static func beginCopy(in directory: String) throws(ActionLogError) -> (unfinished: String, made: [String]) {
        let made = try Directory.createEmpty(directory)
        let name = "copy\(OutputFile.temporarySuffix)"
        let unfinished = "\(directory)/\(name)"
        do throws(ActionLogError) {
            guard try Directory.make(unfinished) else { throw Directory.notEmpty(directory) }
            // Another copy may have been completed since the first check.
            guard try Directory.isEmpty(directory, but: name) else {
                rmdir(unfinished)
                throw Directory.notEmpty(directory)
            }
        } catch {
            for path in made.reversed() { rmdir(path) }
            throw error
        }
        return (unfinished, made)
    }

    // No file has the inode 0, so the copy counts as one wherever it is, even with the original's inode. The commit also flushes
    // the copied data.
    private static func markAsCopy(
        _ directory: String, where staysCopy: (ReplicaPlace) -> Bool
    ) throws(ActionLogError) -> Head {
        let environment = try openEnvironment(directory, LogConfiguration(), isReadOnly: false)
        guard let opened = try existing(environment) else { throw .damaged(sequence: 0, what: "there are no tables") }
        try checkEnd(environment, opened.tables, opened.head, opened.base)
        var identity = opened.identity
        identity.inode = 0
        let key = RowKey.identity
        let row = Row.sealed(identity, key: key)
        do {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.put(key.span.bytes, row.span.bytes, in: opened.tables.meta)
                if let place = opened.place, !staysCopy(place) {
                    let key = RowKey.replica
                    _ = try transaction.delete(key.span.bytes, in: opened.tables.meta)
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        let anchor = Row.sealed(opened.head, key: RowKey.head)
        try OutputFile.write(anchor.span.bytes, name: headFile, directory: directory)
        return opened.head
    }
}
