import Foundation
import Glibc

/// A directory of one test, removed with all that is in it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/todod-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure() }
        path = String(cString: made)
    }

    struct Failure: Error {}

    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "we") else { throw Failure() }
        fputs(text, stream)
        fclose(stream)
        return file
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
