/// What a record has, at a glance: what needs more than that is not found in it (superimposed coding).
///
/// It may seem to have what it has not, because several pairs of bytes have one bit; never the other way round.
public struct Signature: Sendable, Equatable {
    /// A bit for each field that is there.
    public var fields: UInt64
    /// For each two bytes that stand beside each other in one of its texts, whatever the case, a bit; all where a text is long.
    public var texts: UInt64

    /// Bytes in small form up to which a text is looked through: behind as many it has nearly all bits, and would only take time.
    static let textBytesMax = 512

    /// Makes one of nothing, or of some bits.
    @inlinable
    public init(fields: UInt64 = 0, texts: UInt64 = 0) { (self.fields, self.texts) = (fields, texts) }

    /// What a text has, whatever the case of its letters.
    public init(text: String) {
        self.init()
        add(text)
    }

    /// Whether all is there that another one has.
    @inlinable
    public func has(_ needed: Signature) -> Bool {
        fields & needed.fields == needed.fields && texts & needed.texts == needed.texts
    }

    /// What either has.
    public func union(_ other: Signature) -> Signature {
        Signature(fields: fields | other.fields, texts: texts | other.texts)
    }

    /// What both have.
    public func intersection(_ other: Signature) -> Signature {
        Signature(fields: fields & other.fields, texts: texts & other.texts)
    }

    public mutating func add(_ text: String) {
        var (texts, last, count) = (texts, nil as UInt8?, 0)
        text.forEachSmallByte { byte in
            if let last { texts |= Self.bit(last, byte) }
            (last, count) = (byte, count + 1)
            // What contains a long text is as long.
            if count > Self.textBytesMax { texts = .max }
            return count <= Self.textBytesMax
        }
        self.texts = texts
    }

    private static func bit(_ first: UInt8, _ second: UInt8) -> UInt64 {
        // The upper bits of a product depend on all bits of both (Fibonacci hashing).
        1 << UInt64(((UInt32(first) << 8 | UInt32(second)) &* 0x9E37_79B9) >> 26)
    }
}

extension String {
    /// Goes over the bytes of `lowercased()` for as long as the body says true; nothing as long as the text is made.
    ///
    /// `lowercased()` maps scalar by scalar.
    @inlinable
    public func forEachSmallByte(_ body: (UInt8) -> Bool) {
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
    /// The byte of a letter from A to Z in its small form; any other as it is.
    @inlinable public var small: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
