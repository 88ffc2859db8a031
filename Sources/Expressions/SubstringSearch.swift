/// Looks for a text in bytes, whatever the case of its letters a to z.
///
/// Takes time in proportion to the bytes alone, whatever the text is (Knuth, Morris and Pratt).
public struct SubstringSearch: Sendable {
    private let bytes: [UInt8]
    // How much of the text still fits when it stops fitting behind so many bytes.
    private let borders: [Int]

    /// Prepares to look for a text, once for all places where it is looked for.
    public init(_ text: String) {
        let bytes = text.utf8.map(Self.small)
        var borders = [Int](repeating: 0, count: bytes.count)
        var fitting = 0
        for index in bytes.indices.dropFirst() {
            while fitting > 0, bytes[fitting] != bytes[index] { fitting = borders[fitting - 1] }
            if bytes[fitting] == bytes[index] { fitting += 1 }
            borders[index] = fitting
        }
        self.bytes = bytes
        self.borders = borders
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Whether the text stands somewhere in bytes; what is empty stands everywhere.
    public func matches(_ span: RawSpan) -> Bool {
        if bytes.isEmpty { return true }
        var fitting = 0
        for index in 0..<span.byteCount {
            let byte = Self.small(span.unsafeLoad(fromByteOffset: index, as: UInt8.self))
            while fitting > 0, bytes[fitting] != byte { fitting = borders[fitting - 1] }
            if bytes[fitting] == byte { fitting += 1 }
            if fitting == bytes.count { return true }
        }
        return false
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension SubstringSearch {
    /// Prepares to look for a text in texts, whatever the case of any letter.
    init(anyCase text: String) { self.init(text.lowercased()) }

    /// Whether the text, prepared for any case, stands somewhere in another.
    func matches(anyCase text: String) -> Bool { matches(text.lowercased().utf8Span.span.bytes) }
}
