public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Copies the log, as it is now, into a directory that is made, or that is empty, and gives where the copy ends.
    ///
    /// The copy is a log's directory; whoever opens it for writing begins an epoch of its own, with all commands held.
    /// Throws `notPermitted` when the directory has something in it, is a symbolic link or can't be written, and `storageFull`.
    public func backUp(to directory: String) throws(ActionLogError) -> Head {
        guard !Directory.isLink(directory) else { throw .notPermitted(what: "\(directory) is a symbolic link") }
        return try Self.copying(to: directory) { (file) throws(ActionLogError) in
            do throws(LMDBError) { try environment.copy(to: file.descriptor) } catch {
                throw ActionLogError(copying: error, to: directory, environment)
            }
        }
    }

    /// Copies a backup, or any log that no process has, into a directory that is made, or that is empty.
    ///
    /// The copy is not opened; whoever does begins an epoch of its own, with all commands held. Whenever the process ends meanwhile, there
    /// is no log, or all of it. Throws `noLog` where there is no backup.
    ///
    /// - Parameters:
    ///   - sharedLog: the shared log of which a whole copy of one stays a copy; any other becomes a log of its own before anybody can find
    ///     it.
    ///   - cut: given the copy, open for reading alone and up to its first damage, before anybody can find it, what it is cut down to; `nil`
    ///     leaves it whole. When it throws, nothing is left.
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

    // The copy is made in a directory of its own in there, which nobody else may enter, and moved when it is whole. What breaks off
    // is not left where the next try expects nothing: that directory is the last to go, because it keeps others away.
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
            // The log is there now, and is whole without this: a head without its data would be in the way of another.
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

    /// Makes the directory of an unfinished copy, and gives it with what was made above it, the outermost first.
    ///
    /// Of all who make it one succeeds, in whatever process; for all others the place is not empty, and nothing in there is theirs.
    private static func beginCopy(in directory: String) throws(ActionLogError) -> (unfinished: String, made: [String]) {
        let made = try Directory.createEmpty(directory)
        let name = "copy\(OutputFile.temporarySuffix)"
        let unfinished = "\(directory)/\(name)"
        do throws(ActionLogError) {
            guard try Directory.make(unfinished) else { throw Directory.notEmpty(directory) }
            // Another copy may have been finished since there was nothing.
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

    // No file has the inode 0, so the copy is taken for one wherever it lies, and also in the place of the original, whose
    // inode it may have got. The commit flushes what was copied with what it changes.
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
