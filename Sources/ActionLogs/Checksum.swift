internal import CXXHash

/// XXH3-64, the checksum of everything that the log keeps.
///
/// It finds damage, not forgery: whoever can write the files can also write the checksums.
public enum Checksum {
    /// The checksum of bytes.
    public static func of(_ bytes: RawSpan) -> UInt64 {
        bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// The checksum of bytes, begun with a seed: equal bytes with another seed have another one.
    public static func of(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }
}
