import Values

/// Looks for a text in bytes, whatever the case of its letters a to z.
///
/// Takes time in proportion to the bytes alone, whatever the text is (Knuth, Morris and Pratt).
public struct SubstringSearch: Sendable {
    // A 1 in each of eight bytes.
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    private struct Step: Sendable {
        let byte: UInt8
        /// How much of the text still fits when it stops fitting behind this byte.
        let border: Int
    }

    // In one array, because to take hold of another costs as much as to look through a short text.
    private let steps: [Step]

    /// Prepares to look for a text, once for all places where it is looked for.
    public init(_ text: String) {
        var steps: [Step] = []
        var fitting = 0
        for byte in text.utf8.map(\.small) {
            guard !steps.isEmpty else {
                steps = [Step(byte: byte, border: 0)]
                continue
            }
            while fitting > 0, steps[fitting].byte != byte { fitting = steps[fitting - 1].border }
            if steps[fitting].byte == byte { fitting += 1 }
            steps.append(Step(byte: byte, border: fitting))
        }
        self.steps = steps
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { steps.isEmpty }

    /// Whether the text stands somewhere in bytes; what is empty stands everywhere.
    public func matches(_ span: RawSpan) -> Bool {
        guard let first = steps.first?.byte else { return true }
        let sought = UInt64(first | 0x20) &* Self.ones
        var (fitting, index) = (0, 0)
        while index < span.byteCount {
            if fitting == 0, index + 8 <= span.byteCount {
                // In no more bytes than these a letter begins the text, whatever its case; mostly none of eight is zero.
                let eight = (span.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) | Self.ones << 5) ^ sought
                if (eight &- Self.ones) & ~eight & Self.ones << 7 == 0 {
                    index += 8
                    continue
                }
            }
            if ends(at: span.unsafeLoad(fromByteOffset: index, as: UInt8.self).small, &fitting) { return true }
            index += 1
        }
        return false
    }

    /// Goes on by a byte, given how much of the text fits before it; whether all of it does now.
    private func ends(at byte: UInt8, _ fitting: inout Int) -> Bool {
        while fitting > 0, steps[fitting].byte != byte { fitting = steps[fitting - 1].border }
        if steps[fitting].byte == byte { fitting += 1 }
        return fitting == steps.count
    }
}

extension SubstringSearch {
    /// Prepares to look for a text in texts, whatever the case of any letter.
    init(anyCase text: String) { self.init(text.lowercased()) }

    /// Whether the text, prepared for any case, stands somewhere in another.
    func matches(anyCase text: String) -> Bool {
        let utf8 = text.utf8Span
        if utf8.isKnownASCII || isEmpty { return matches(utf8.span.bytes) }
        var (fitting, isFound) = (0, false)
        text.forEachSmallByte { byte in
            isFound = ends(at: byte, &fitting)
            return !isFound
        }
        return isFound
    }

    /// Whether a text begins with this one, prepared for any case.
    func begins(anyCase text: String) -> Bool {
        let utf8 = text.utf8Span
        if utf8.isKnownASCII { return fits(utf8.span.bytes, from: 0) }
        var rest = steps[...]
        text.forEachSmallByte { byte in
            guard rest.first?.byte == byte else { return false }
            rest.removeFirst()
            return true
        }
        return rest.isEmpty
    }

    /// Whether a text ends with this one, prepared for any case.
    func ends(anyCase text: String) -> Bool {
        let utf8 = text.utf8Span
        if utf8.isKnownASCII { return fits(utf8.span.bytes, from: utf8.count - steps.count) }
        var rest = steps[...]
        for scalar in text.unicodeScalars.reversed() {
            for byte in Self.lowercase(scalar).reversed() {
                guard let last = rest.popLast() else { return true }
                if last.byte != byte { return false }
            }
        }
        return rest.isEmpty
    }

    private func fits(_ span: RawSpan, from start: Int) -> Bool {
        guard start >= 0, span.byteCount - start >= steps.count else { return false }
        for index in steps.indices {
            let byte = span.unsafeLoad(fromByteOffset: start + index, as: UInt8.self).small
            if byte != steps[index].byte { return false }
        }
        return true
    }

    private static func lowercase(_ scalar: Unicode.Scalar) -> [UInt8] {
        scalar.isASCII ? [UInt8(truncatingIfNeeded: scalar.value).small] : Array(scalar.properties.lowercaseMapping.utf8)
    }

    /// What a text has in which this one stands, prepared for any case.
    var signature: Signature { Signature(text: String(decoding: steps.lazy.map(\.byte), as: UTF8.self)) }

    /// What it takes to look whether a text begins or ends with this one, in steps of an expression.
    func steps(atAnEndOf text: String) -> Int { min(steps.count, text.utf8.count) / ExpressionLimits.mappedBytesPerStep }

    /// What it takes to look through a text whatever the case, in steps of an expression.
    static func steps(through text: String) -> Int {
        let bytesPerStep =
            text.utf8Span.isKnownASCII ? ExpressionLimits.searchedBytesPerStep : ExpressionLimits.mappedBytesPerStep
        return text.utf8.count / bytesPerStep
    }
}
