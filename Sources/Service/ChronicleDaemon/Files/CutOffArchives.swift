import ChronicleLog
import DiskLog
import Glibc
import Varlink
import Zstandard

/// Archives of compactions that were interrupted before they changed the log.
///
/// Their records are still in the log, so a later redaction would miss the archive.
struct CutOffArchives {
    let log: any ActionLog
    let directory: String

    struct Finding {
        var name: String
        /// Why it was kept: some log records are unreadable, so it may be the only copy; `nil`: removed.
        var kept: ActionLogError?
    }

    /// Removes archives whose records the log contains intact, and keeps all others.
    ///
    /// Call it after a recovery without damage. It reads the log's records of each archive.
    func remove() throws(ActionLogError) -> [Finding] {
        var findings: [Finding] = []
        let base = log.base?.sequence ?? 0
        for name in try ArchiveName.all(in: directory) where name.first == base + 1 && name.last > base {
            guard let header = header(of: name) else { continue }
            do throws(ActionLogError) {
                // The checksum of the last record covers all history up to it, but does not prove that it is still readable.
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

struct ArchiveFile: ~Copyable {
    private var file: OutputFile
    private var compressor = Compressor()

    /// Creates an archive; throws `contradiction` if the file exists: it may be the only copy of another history.
    init(_ name: String, in directory: String) throws(ActionLogError) {
        guard faccessat(AT_FDCWD, "\(directory)/\(name)", F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw .contradiction(what: "there is a file \(directory)/\(name) already; move it elsewhere, and compact again")
        }
        file = try OutputFile(name, in: directory)
    }

    mutating func append(_ text: String) throws(ActionLogError) {
        try file.append(compressor.compress(Array(text.utf8)).span.bytes)
    }

    mutating func finish() throws(ActionLogError) {
        try file.append(compressor.finish().span.bytes)
        try file.finish()
    }
}
