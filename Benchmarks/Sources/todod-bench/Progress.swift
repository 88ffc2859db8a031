import Foundation

/// Lines on stderr, so that stdout holds the table alone.
enum Progress {
    static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
