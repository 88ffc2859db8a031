internal import Glibc

/// Files that are either there as a whole or not at all.
enum DurableFile {
    /// Whether a file outlives a power cut; one that does not may be torn by it.
    enum Durability { case full, none }

    /// Writes pieces one after the other to a temporary name, makes them durable, and gives them their name.
    static func write(
        _ first: RawSpan, _ second: RawSpan = RawSpan(), name: String, directory: String, durability: Durability = .full
    ) throws(ActionLogError) {
        let path = "\(directory)/\(name)"
        let temporary = "\(path)\(temporarySuffix)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Directory.error("writing \(path)", errno) }
        var code = put(first, descriptor)
        if code == 0 { code = put(second, descriptor) }
        if code == 0, durability == .full, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw Directory.error("writing \(path)", code)
        }
        if durability == .full { try Directory.synchronise(directory) }
    }

    static let temporarySuffix = ".new"

    static func put(_ bytes: RawSpan, _ descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}
