public import ChronicleLog
internal import Glibc

/// A file that gets its name when all of it is written, and is gone if it never is.
public struct OutputFile: ~Copyable {
    /// Whether a file outlives a power cut; one that does not may be torn by it.
    public enum Durability: Sendable { case full, none }

    /// What the name of a file ends with that is not whole yet.
    public static let temporarySuffix = ".new"

    private let directory: String
    private let path: String
    let descriptor: Int32
    private var isNamed = false

    /// Begins a file that only its owner may read.
    public init(_ name: String, in directory: String) throws(ActionLogError) {
        self.directory = directory
        path = "\(directory)/\(name)"
        // One that was left behind goes, and so does a link that somebody put there: what it leads to is not written to.
        unlink(path + Self.temporarySuffix)
        descriptor = open(path + Self.temporarySuffix, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Directory.error("writing \(path)", errno) }
    }

    deinit {
        close(descriptor)
        if !isNamed { unlink(path + Self.temporarySuffix) }
    }

    /// Adds bytes at its end.
    public mutating func append(_ bytes: RawSpan) throws(ActionLogError) {
        let code = bytes.withUnsafeBytes { buffer -> Int32 in
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
        guard code == 0 else { throw Directory.error("writing \(path)", code) }
    }

    /// Overwrites eight bytes with a little-endian number.
    mutating func set(_ number: UInt64, at offset: Int) throws(ActionLogError) {
        var bytes = number.littleEndian
        guard pwrite(descriptor, &bytes, 8, offset) == 8 else { throw Directory.error("writing \(path)", errno) }
    }

    /// Makes the bytes durable, gives the file its name, and makes that durable.
    public mutating func finish(_ durability: Durability = .full) throws(ActionLogError) {
        guard durability == .none || fsync(descriptor) == 0 else { throw Directory.error("writing \(path)", errno) }
        guard rename(path + Self.temporarySuffix, path) == 0 else { throw Directory.error("writing \(path)", errno) }
        isNamed = true
        if durability == .full { try Directory.synchronise(directory) }
    }

    /// Writes a whole file of one or two pieces.
    static func write(
        _ first: RawSpan, _ second: RawSpan = RawSpan(), name: String, directory: String, durability: Durability = .full
    ) throws(ActionLogError) {
        var file = try OutputFile(name, in: directory)
        try file.append(first)
        try file.append(second)
        try file.finish(durability)
    }
}
