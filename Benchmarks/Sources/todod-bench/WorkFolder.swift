import Foundation

/// A folder for data on the disk to measure, and a short one for sockets, whose paths may have 107 bytes.
struct WorkFolder: Sendable {
    let data: URL
    let sockets: URL

    init(in directory: String) throws {
        let process = ProcessInfo.processInfo.processIdentifier
        data = URL(filePath: directory).appending(path: "todod-bench-\(process)").standardizedFileURL
        sockets = URL(filePath: "/tmp/todod-bench-\(process)")
        for folder in [data, sockets] {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    /// Makes an empty folder for the data of one daemon.
    func make(_ name: String) throws(BenchmarkError) -> URL {
        let folder = data.appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BenchmarkError("cannot make \(folder.path): \(error)")
        }
        return folder
    }

    /// A million keys and their records take half a gigabyte, so each part frees its own.
    func remove(_ folder: URL) {
        try? FileManager.default.removeItem(at: folder)
    }

    func remove() {
        remove(data)
        remove(sockets)
    }
}
