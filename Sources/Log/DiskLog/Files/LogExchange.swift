internal import ChronicleLog
internal import Glibc

/// Replaces the environment of a log with a compacted one: two files, each moved by a rename.
///
/// The second file has the slots of the readers, so the data of one environment must never be used with the readers' file of the
/// other. The new files are in a directory that shows the progress: once its data file is gone, its readers' file belongs to the
/// data in place.
struct LogExchange {
    /// Inode numbers of the files of a log; 0 if a file does not exist, the maximum if unknown.
    struct Files: Equatable {
        var data: UInt64
        var readers: UInt64
        var isHalfway: Bool
    }

    private let directory: String
    private var waiting: String { "\(directory)/exchange\(OutputFile.temporarySuffix)" }

    init(in directory: String) { self.directory = directory }

    func prepare(_ made: String) throws(ActionLogError) {
        abandon()
        try Directory.move(made, to: waiting)
    }

    /// Moves the data file with this inode into place; after any error but `unknownOutcome` nothing has changed.
    func begin(_ data: UInt64) throws(ActionLogError) {
        do throws(ActionLogError) { try move(LMDBActionLog.dataFile) } catch {
            // A failed rename may have taken effect; the inodes show it.
            let (placed, left) = (inode(path(LMDBActionLog.dataFile)), inode("\(waiting)/\(LMDBActionLog.dataFile)"))
            if placed == data, left == 0 { return }
            guard placed != data, left == data else { throw .unknownOutcome(what: error.description) }
            abandon()
            throw error
        }
    }

    /// Moves the readers' file into place, unless another process that opened the log has done so.
    func finish() throws(ActionLogError) {
        guard files.isHalfway else { return }
        do throws(ActionLogError) { try move(LMDBActionLog.readersFile) } catch {
            if files.isHalfway { throw error }
        }
        rmdir(waiting)
    }

    /// Removes an exchange that has not begun; the readers' file first, or the exchange would look half done.
    func abandon() {
        unlink("\(waiting)/\(LMDBActionLog.readersFile)")
        Directory.remove(waiting)
    }

    var files: Files {
        // In this order: if the first two belong to different environments, the third shows it, now or at the next call.
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
