import Foundation
import Glibc
public import Synchronization

/// Serializes process starts with the writing of executables.
///
/// A process that is forked during the write inherits the open file, and executing the file then fails with ETXTBSY.
public let startOfProcesses = Mutex(())

/// A directory (mode 0700) that is deleted with its contents when it is released; its path is short enough for a socket.
public final class TemporaryDirectory: Sendable {
    /// The path, without a trailing slash.
    public let path: String

    public init() {
        var template = Array("/tmp/todod-test.XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary directory: \(String(cString: strerror(errno)))")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // Removes symbolic links without following them.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes an executable (mode 0755) and returns its path.
    @discardableResult
    public func writeProgram(_ text: String, to name: String) throws -> String {
        let file = try startOfProcesses.withLock { _ in try write(text, to: name) }
        guard chmod(file, 0o755) == 0 else { throw CocoaError(.fileWriteNoPermission) }
        return file
    }
}

/// Passes a temporary directory to a closure.
public func withTemporaryDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
}
