import Glibc

/// A small user file, read completely.
enum SmallFile {
    struct Unreadable: Error { let number: Int32 }

    /// The bytes of a file; stops after `most` bytes, so a longer file yields slightly more.
    static func bytes(of path: String, about most: Int) throws(Unreadable) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unreadable(number: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= most {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable(number: errno) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}
