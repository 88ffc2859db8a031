/// A superimposed-coding signature of a record, used as a prefilter for searches.
///
/// Like a Bloom filter it has false positives, because several byte pairs share a bit, but no false negatives.
public struct Signature: Sendable, Equatable {
    /// One bit per present field.
    public var fields: UInt64
    /// One bit per pair of adjacent lower-case bytes in any of the record's texts; all bits are set for a long text.
    public var texts: UInt64

    /// Maximum number of lower-case bytes that are hashed; a longer text sets nearly all bits anyway.
    static let textBytesMax = 512

    @inlinable public init(fields: UInt64 = 0, texts: UInt64 = 0) { (self.fields, self.texts) = (fields, texts) }

    public init(text: String) {
        self.init()
        add(text)
    }

    @inlinable public func has(_ needed: Signature) -> Bool {
        fields & needed.fields == needed.fields && texts & needed.texts == needed.texts
    }

    public func union(_ other: Signature) -> Signature { Signature(fields: fields | other.fields, texts: texts | other.texts) }

    public func intersection(_ other: Signature) -> Signature {
        Signature(fields: fields & other.fields, texts: texts & other.texts)
    }

    public mutating func add(_ text: String) {
        var (texts, last, count) = (texts, nil as UInt8?, 0)
        text.forEachSmallByte { byte in
            if let last { texts |= Self.bit(last, byte) }
            (last, count) = (byte, count + 1)
            // A record that contains a long text is at least as long.
            if count > Self.textBytesMax { texts = .max }
            return count <= Self.textBytesMax
        }
        self.texts = texts
    }

    private static func bit(_ first: UInt8, _ second: UInt8) -> UInt64 {
        // The upper bits of the product depend on all bits of both bytes (Fibonacci hashing).
        1 << UInt64(((UInt32(first) << 8 | UInt32(second)) &* 0x9E37_79B9) >> 26)
    }
}

extension String {
    /// Passes the bytes of `lowercased()` to a closure until it returns false, without allocating the lower-case string.
    ///
    /// This is correct because `lowercased()` maps each scalar on its own.
    @inlinable public func forEachSmallByte(_ body: (UInt8) -> Bool) {
        let utf8 = utf8Span
        if utf8.isKnownASCII {
            let bytes = utf8.span
            for index in bytes.indices where !body(bytes[index].small) { return }
            return
        }
        for scalar in unicodeScalars {
            if scalar.isASCII {
                if !body(UInt8(truncatingIfNeeded: scalar.value).small) { return }
            } else {
                for byte in scalar.properties.lowercaseMapping.utf8 where !body(byte) { return }
            }
        }
    }
}

extension UInt8 {
    /// The byte in lower case if it is an ASCII letter; unchanged otherwise.
    @inlinable public var small: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
