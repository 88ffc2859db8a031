internal import Glibc

/// Files of a few hundred bytes.
package enum SmallFile {
    static let bytesMax = 65_536

    /// All of a file's bytes; `nil` when it cannot be read, with `errno` set.
    static func bytes(_ path: String) -> [UInt8]? {
        // Files of the kernel have no size, so the size is not asked for.
        errno = 0
        let bytes = InputFile(path)?.next(bytesMax)
        // A failed read returns fewer bytes than the file has, so a log would look new.
        return errno == 0 || errno == EINTR ? bytes : nil
    }

    /// The first line of a file, without its end.
    package static func line(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }
}
