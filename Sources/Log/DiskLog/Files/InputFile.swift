internal import Glibc

struct InputFile: ~Copyable {
    private let descriptor: Int32
    let byteCount: Int

    /// Opens a file; `nil` on failure, with `errno` set.
    init?(_ path: String) {
        // A FIFO in its place then reads as empty instead of blocking.
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

    func next(_ count: Int) -> [UInt8] { filled(count) { Glibc.read(descriptor, $0, $1) } }

    /// The bytes at an offset, independent of the read position; fewer at the end of the file.
    func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        var offset = offset
        return filled(count) { place, count in
            let read = pread(descriptor, place, count, offset)
            offset += max(0, read)
            return read
        }
    }

    private func filled(_ count: Int, _ readMore: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
        // All empty arrays share one storage, which this initializer writes to.
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
