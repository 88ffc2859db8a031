internal import Glibc

/// A file that is read from its beginning.
struct InputFile: ~Copyable {
    private let descriptor: Int32
    /// The file's size when it was opened, in bytes.
    let byteCount: Int

    /// Opens a file; `nil` when it cannot be, with `errno` set.
    init?(_ path: String) {
        // A pipe in its place is empty, and keeps nobody waiting.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        byteCount = status.st_size
    }

    deinit { close(descriptor) }

    /// The next bytes; fewer where the file ends.
    func next(_ count: Int) -> [UInt8] { filled(count) { Glibc.read(descriptor, $0, $1) } }

    /// The bytes at a place, wherever it is read from next; fewer where the file ends.
    func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        var offset = offset
        return filled(count) { place, count in
            let read = pread(descriptor, place, count, offset)
            offset += max(0, read)
            return read
        }
    }

    private func filled(_ count: Int, _ readMore: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
        // All empty arrays share one storage, which this initialiser writes to.
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = readMore(buffer.baseAddress.map { $0 + filled }, count - filled)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                filled += read
            }
        }
    }
}
