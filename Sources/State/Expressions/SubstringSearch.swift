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
            if ends(at: Self.small(span.unsafeLoad(fromByteOffset: index, as: UInt8.self)), &fitting) { return true }
        }
        return false
    }

    /// Goes on by a byte, given how much of the text fits before it; whether all of it does now.
    private func ends(at byte: UInt8, _ fitting: inout Int) -> Bool {
        while fitting > 0, bytes[fitting] != byte { fitting = borders[fitting - 1] }
        if bytes[fitting] == byte { fitting += 1 }
        return fitting == bytes.count
    }

    static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension SubstringSearch {
    /// Prepares to look for a text in texts, whatever the case of any letter.
    init(anyCase text: String) { self.init(text.lowercased()) }

    /// Whether the text, prepared for any case, stands somewhere in another.
    ///
    /// The bytes are those of `lowercased()`, which maps scalar by scalar; nothing as long as the text is made.
    func matches(anyCase text: String) -> Bool {
        let utf8 = text.utf8Span
        if utf8.isKnownASCII || bytes.isEmpty { return matches(utf8.span.bytes) }
        var fitting = 0
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                if ends(at: Self.small(UInt8(truncatingIfNeeded: scalar.value)), &fitting) { return true }
            } else {
                for byte in scalar.properties.lowercaseMapping.utf8 where ends(at: byte, &fitting) { return true }
            }
        }
        return false
    }

    /// Whether a text begins with this one, prepared for any case.
    func begins(anyCase text: String) -> Bool {
        var rest = bytes[...]
        for scalar in text.unicodeScalars {
            for byte in Self.lowercase(scalar) {
                guard let first = rest.popFirst() else { return true }
                if first != byte { return false }
            }
        }
        return rest.isEmpty
    }

    /// Whether a text ends with this one, prepared for any case.
    func ends(anyCase text: String) -> Bool {
        var rest = bytes[...]
        for scalar in text.unicodeScalars.reversed() {
            for byte in Self.lowercase(scalar).reversed() {
                guard let last = rest.popLast() else { return true }
                if last != byte { return false }
            }
        }
        return rest.isEmpty
    }

    private static func lowercase(_ scalar: Unicode.Scalar) -> [UInt8] {
        scalar.isASCII ? [small(UInt8(truncatingIfNeeded: scalar.value))] : Array(scalar.properties.lowercaseMapping.utf8)
    }

    /// What it takes to look whether a text begins or ends with this one, in steps of an expression.
    func steps(atAnEndOf text: String) -> Int { min(bytes.count, text.utf8.count) / ExpressionLimits.mappedBytesPerStep }

    /// What it takes to look through a text whatever the case, in steps of an expression.
    static func steps(through text: String) -> Int {
        let bytesPerStep =
            text.utf8Span.isKnownASCII ? ExpressionLimits.searchedBytesPerStep : ExpressionLimits.mappedBytesPerStep
        return text.utf8.count / bytesPerStep
    }
}
