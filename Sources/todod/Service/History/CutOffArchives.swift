import ActionLogs
import Glibc
import Varlink

/// The archives of compactions that were cut off before they changed the log.
///
/// Their records are still in the log, which goes on without knowing of them: what is taken out of a record later would stay in there.
struct CutOffArchives {
    let log: any ActionLog
    let directory: String

    /// Removes them, and gives their names; a file that can't be told to hold the log's own records stays.
    func remove() throws(ActionLogError) -> [String] {
        var removed: [String] = []
        let base = log.base?.sequence ?? 0
        for name in try ArchiveName.all(in: directory) where name.last > base {
            guard try isOurs(name) else { continue }
            guard unlink("\(directory)/\(name.text)") == 0 else {
                throw .io(what: "removing \(directory)/\(name.text)", errno: errno)
            }
            removed.append(name.text)
        }
        return removed
    }

    // The checksum of the last record stands for all history up to it.
    private func isOurs(_ name: ArchiveName) throws(ActionLogError) -> Bool {
        let descriptor = open("\(directory)/\(name.text)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var file = ExportFile(descriptor: descriptor)
        guard let line = try? file.next(), let header = try? ExportHeader(line), header.last == name.last else { return false }
        return try log.checksum(of: header.last) == header.checksum
    }
}
