internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Copies the log, as it is now, into a directory that is made, or that is empty, and gives where the copy ends.
    ///
    /// The copy is a log's directory; whoever opens it for writing begins an epoch of its own, with all commands held.
    /// Throws `notPermitted` when the directory has something in it or can't be written, and `storageFull`.
    public func backUp(to directory: String) throws(ActionLogError) -> Head {
        try Directory.createEmpty(directory)
        do { try environment.copy(to: directory) } catch {
            throw ActionLogError(copying: error, to: directory, environment)
        }
        // LMDB lets everybody read what it copies.
        guard chmod("\(directory)/data.mdb", 0o600) == 0 else { throw Directory.error("writing \(directory)/data.mdb", errno) }
        return try Self.estrange(directory)
    }

    /// Copies a backup, or any log that no process has, into a directory that is made, or that is empty.
    ///
    /// The copy is not opened; whoever does begins an epoch of its own, with all commands held.
    public static func restore(from backup: String, to directory: String) throws(ActionLogError) -> Head {
        guard let source = InputFile("\(backup)/data.mdb") else { throw Directory.error("reading \(backup)/data.mdb", errno) }
        try Directory.createEmpty(directory)
        try refuseNetwork(directory)
        var copy = try OutputFile("data.mdb", in: directory)
        while true {
            let piece = source.next(1 << 20)
            if piece.isEmpty { break }
            try copy.append(piece.span.bytes)
        }
        try copy.finish(.none)
        do throws(ActionLogError) { return try estrange(directory) } catch {
            // What can't be relied on is not left where the next try expects nothing.
            for name in ["data.mdb", "lock.mdb"] { unlink("\(directory)/\(name)") }
            throw error
        }
    }

    // No file has the inode 0, so the copy is taken for one wherever it lies, and also in the place of the original, whose
    // inode it may have got. The commit flushes what was copied with what it changes.
    private static func estrange(_ directory: String) throws(ActionLogError) -> Head {
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
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        let anchor = Row.sealed(opened.head, key: RowKey.head)
        try OutputFile.write(anchor.span.bytes, name: headFile, directory: directory)
        return opened.head
    }
}
