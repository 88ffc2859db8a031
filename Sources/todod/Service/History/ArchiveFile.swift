import ActionLogs
import Zstandard

/// An export in a file, compressed.
struct ArchiveFile: ~Copyable {
    private var file: OutputFile
    private var compressor = Compressor()

    init(_ name: String, in directory: String) throws(ActionLogError) {
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
