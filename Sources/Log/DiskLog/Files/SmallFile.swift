internal import Glibc

package enum SmallFile {
    static let bytesMax = 65_536

    /// All bytes of a file; `nil` if it cannot be read, with `errno` set.
    static func bytes(_ path: String) -> [UInt8]? {
        // Files of the kernel report no size.
        errno = 0
        let bytes = InputFile(path)?.next(bytesMax)
        // A failed read returns too few bytes, so a log would look new.
        return errno == 0 || errno == EINTR ? bytes : nil
    }

    package static func line(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }
}
