internal import ChronicleLog
internal import Glibc

/// Puts a compacted environment in the place of a log's: two files, each of which takes its place by a rename.
///
/// Rows of readers stand in the second file, so data of one environment must never be read with the readers' file of the other.
/// The new files lie in a directory of their own, by which everybody sees how far it has come: once its data is gone from there,
/// its readers' file belongs beside the data.
struct LogExchange {
    /// Inode numbers of the files of a log; 0 if a file does not exist, the largest number if that is unknown.
    struct Files: Equatable {
        var data: UInt64
        var readers: UInt64
        /// Whether one of the two has been put in its place, and the other has not.
        var isHalfway: Bool
    }

    private let directory: String
    private var waiting: String { "\(directory)/exchange\(OutputFile.temporarySuffix)" }

    init(in directory: String) { self.directory = directory }

    /// Takes over the directory of an environment that is complete.
    func prepare(_ made: String) throws(ActionLogError) {
        abandon()
        try Directory.move(made, to: waiting)
    }

    /// Moves the data, which has this inode, into place.
    ///
    /// After any error but `unknownOutcome` nothing has changed.
    func begin(_ data: UInt64) throws(ActionLogError) {
        do throws(ActionLogError) { try move(LMDBActionLog.dataFile) } catch {
            // A failed rename may have taken effect. The inodes of both names show it.
            let (placed, left) = (inode(path(LMDBActionLog.dataFile)), inode("\(waiting)/\(LMDBActionLog.dataFile)"))
            if placed == data, left == 0 { return }
            guard placed != data, left == data else { throw .unknownOutcome(what: error.description) }
            abandon()
            throw error
        }
    }

    /// Puts the readers' file beside the data, unless somebody who opens the log has done so already.
    func finish() throws(ActionLogError) {
        guard files.isHalfway else { return }
        do throws(ActionLogError) { try move(LMDBActionLog.readersFile) } catch {
            if files.isHalfway { throw error }
        }
        rmdir(waiting)
    }

    /// Removes files that were not begun to be put in their place: the readers' file first, or it would look as if they were.
    func abandon() {
        unlink("\(waiting)/\(LMDBActionLog.readersFile)")
        Directory.remove(waiting)
    }

    /// The files as they are now.
    var files: Files {
        // In this order: when the first two are of different environments, the third says so, or will when it is asked next.
        let (data, readers) = (inode(path(LMDBActionLog.dataFile)), inode(path(LMDBActionLog.readersFile)))
        let isBegun = inode("\(waiting)/\(LMDBActionLog.dataFile)") == 0
        return Files(data: data, readers: readers, isHalfway: isBegun && inode("\(waiting)/\(LMDBActionLog.readersFile)") != 0)
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    private func move(_ name: String) throws(ActionLogError) { try Directory.move("\(waiting)/\(name)", to: path(name)) }

    private func inode(_ path: String) -> UInt64 {
        var status = stat()
        guard lstat(path, &status) != 0 else { return UInt64(status.st_ino) }
        // No file has this number. After any other error it is unknown whether the file exists.
        return errno == ENOENT ? 0 : .max
    }
}
