import DiskLog
import Glibc
import Records
import Varlink

/// The archives of compactions that were cut off before they changed the log.
///
/// Their records are still in the log, which goes on without knowing of them: what is taken out of a record later would stay in there.
struct CutOffArchives {
    let log: any ActionLog
    let directory: String

    /// One that was found, and what became of it.
    struct Finding {
        var name: String
        /// Why it stays: the log's own records can't all be read, so it may be their only copy; `nil`: it was removed.
        var kept: ActionLogError?
    }

    /// Removes those whose records the log holds intact; a file that can't be told to hold the log's own records stays.
    ///
    /// To be called once the log was recovered without damage. For each archive it reads what the log has of its records.
    func remove() throws(ActionLogError) -> [Finding] {
        var findings: [Finding] = []
        let base = log.base?.sequence ?? 0
        for name in try ArchiveName.all(in: directory) where name.first == base + 1 && name.last > base {
            guard let header = header(of: name) else { continue }
            do throws(ActionLogError) {
                // The checksum of the last record stands for all history up to it, but does not say that this can still be read.
                guard try log.checksum(of: header.last) == header.checksum else { continue }
                guard try log.fold(from: header.first, through: header.last, { _, _ in true }) > header.last else { continue }
            } catch {
                findings.append(Finding(name: name.text, kept: error))
                continue
            }
            guard unlink("\(directory)/\(name.text)") == 0 else {
                throw .io(what: "removing \(directory)/\(name.text)", errno: errno)
            }
            findings.append(Finding(name: name.text))
        }
        return findings
    }

    /// The first line of an archive, if it is one of this log and says the same as its name.
    private func header(of name: ArchiveName) -> ExportHeader? {
        let descriptor = open("\(directory)/\(name.text)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var file = ExportFile(descriptor: descriptor)
        guard let line = try? file.next(), let header = try? ExportHeader(line), header.storeID == log.head.storeID,
            header.first == name.first, header.last == name.last
        else { return nil }
        return header
    }
}
