public import ChronicleLog
internal import Glibc

/// A file that gets its name once it is complete, and is removed if it never is.
public struct OutputFile: ~Copyable {
    /// Whether a file survives a power failure; without durability it may be torn.
    public enum Durability: Sendable { case full, none }

    public static let temporarySuffix = ".new"

    private let directory: String
    private let path: String
    let descriptor: Int32
    private var isNamed = false

    /// Creates a file with mode 0600.
    public init(_ name: String, in directory: String) throws(ActionLogError) {
        self.directory = directory
        path = "\(directory)/\(name)"
        // Removes a leftover file or a planted link, whose target must not be written to.
        unlink(path + Self.temporarySuffix)
        descriptor = open(path + Self.temporarySuffix, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Directory.error("writing \(path)", errno) }
    }

    deinit {
        close(descriptor)
        if !isNamed { unlink(path + Self.temporarySuffix) }
    }

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

    mutating func set(_ number: UInt64, at offset: Int) throws(ActionLogError) {
        var bytes = number.littleEndian
        guard pwrite(descriptor, &bytes, 8, offset) == 8 else { throw Directory.error("writing \(path)", errno) }
    }

    /// Makes the bytes durable, renames the file, and makes the name durable.
    public mutating func finish(_ durability: Durability = .full) throws(ActionLogError) {
        guard durability == .none || fsync(descriptor) == 0 else { throw Directory.error("writing \(path)", errno) }
        guard rename(path + Self.temporarySuffix, path) == 0 else { throw Directory.error("writing \(path)", errno) }
        isNamed = true
        if durability == .full { try Directory.synchronise(directory) }
    }

    static func write(
        _ first: RawSpan, _ second: RawSpan = RawSpan(), name: String, directory: String, durability: Durability = .full
    ) throws(ActionLogError) {
        var file = try OutputFile(name, in: directory)
        try file.append(first)
        try file.append(second)
        try file.finish(durability)
    }
}
