import DiskLog
import Glibc
import Records
import Zstandard

/// An export in a file, compressed.
struct ArchiveFile: ~Copyable {
    private var file: OutputFile
    private var compressor = Compressor()

    /// Begins an archive; throws `contradiction` when there is a file of its name, which may be the only copy of another history.
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
