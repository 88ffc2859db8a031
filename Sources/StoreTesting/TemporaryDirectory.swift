// Its removal of a whole tree needs no pointers of ours; CustomDump brings it into every test anyway.
import Foundation
import Glibc
import IssueReporting

/// Lends a new empty directory (mode 0700) for as long as the closure runs, then removes it with all that is in it.
///
/// It stands under `$TMPDIR`, else `/tmp`, with a name short enough for a Unix socket inside.
/// - Throws: what the closure throws, or a `TemporaryDirectoryError` when no directory could be made.
public func withTemporaryDirectory<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let path = try TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(path) }
    return try body(path)
}

/// Lends a new empty directory to a closure that may suspend.
///
/// - Throws: what the closure throws, or a `TemporaryDirectoryError` when no directory could be made.
public func withTemporaryDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let path = try TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(path) }
    return try await body(path)
}

/// No temporary directory could be made.
public struct TemporaryDirectoryError: Error, Sendable, Equatable {
    /// The name tried, ending in six X.
    public var template: String
    /// What `mkdtemp` left in `errno`.
    public var errno: Int32
}

enum TemporaryDirectory {
    static func make() throws(TemporaryDirectoryError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let template = (parent.isEmpty ? "/tmp" : parent) + "/todod-XXXXXX"
        var name = Array(template.utf8CString)
        guard mkdtemp(&name) != nil else { throw TemporaryDirectoryError(template: template, errno: errno) }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Never follows a symbolic link out of the tree; what the closure removed itself is no failure.
    static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            reportIssue("The temporary directory \(path) is left behind: \(error)")
        }
    }
}
