import Foundation
import Glibc

/// A directory that goes when its owner does; its path is short enough for a socket.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/todod-test.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemFailure(what: "mkdtemp") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }
}

/// A call to the system that failed.
struct SystemFailure: Error, CustomStringConvertible {
    var what: String
    var number = errno

    var description: String { "\(what): \(String(cString: strerror(number)))" }
}
