import Foundation

/// The files of this repository.
enum Repository {
    /// Tests/TidyTests/Repository.swift lies two directories below the root.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func url(_ path: String) -> URL { root.appending(path: path) }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: url(path).path)
    }

    /// Sorted paths of the files below a folder, without hidden ones.
    static func files(below folder: String) -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: url(folder).path) else { return [] }
        var paths: [String] = []
        for case let path as String in walk {
            let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url("\(folder)/\(path)").path, isDirectory: &isFolder)
            if !isHidden, !isFolder.boolValue { paths.append("\(folder)/\(path)") }
        }
        return paths.sorted()
    }

    static func swiftFiles(below folder: String) -> [String] {
        files(below: folder).filter { $0.hasSuffix(".swift") }
    }
}
