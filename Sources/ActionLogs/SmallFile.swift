internal import Glibc

/// Files of a few hundred bytes.
enum SmallFile {
    static let bytesMax = 65_536

    /// All of a file's bytes; `nil` when it cannot be read, with `errno` set.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < bytesMax {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// The first line of a file, without its end.
    static func line(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }
}
