import Foundation
import Glibc
public import Synchronization

/// Held while a process is started, and while a program is written that will be.
///
/// Who is started meanwhile would hold the file open for writing too, and the system runs nothing that somebody writes.
public let startOfProcesses = Mutex(())

/// A directory (mode 0700) that goes when its owner does, with all that is in it; its path is short enough for a socket.
public final class TemporaryDirectory: Sendable {
    /// Where it is, without a slash at the end.
    public let path: String

    /// Makes a new one, empty, under `/tmp`.
    public init() {
        var template = Array("/tmp/todod-test.XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary directory: \(String(cString: strerror(errno)))")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // A symbolic link is removed, never followed.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes a program that anybody may run, and gives its path.
    @discardableResult
    public func writeProgram(_ text: String, to name: String) throws -> String {
        let file = try startOfProcesses.withLock { _ in try write(text, to: name) }
        guard chmod(file, 0o755) == 0 else { throw CocoaError(.fileWriteNoPermission) }
        return file
    }
}

/// Lends a new empty directory for as long as the closure runs.
public func withTemporaryDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
}
