import Chronicle

/// Searches bytes for a text in linear time, ignoring ASCII case (Knuth–Morris–Pratt).
public struct SubstringSearch: Sendable {
    // A 1 in each of eight bytes.
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    private struct Step: Sendable {
        let byte: UInt8
        /// The length of the prefix that still matches after a mismatch at the next byte.
        let border: Int
    }

    // One array, because retaining a second one costs as much as a search in a short text.
    private let steps: [Step]

    public init(_ text: String) {
        var steps: [Step] = []
        var matched = 0
        for byte in text.utf8.map(\.small) {
            while matched > 0, steps[matched].byte != byte { matched = steps[matched - 1].border }
            if !steps.isEmpty, steps[matched].byte == byte { matched += 1 }
            steps.append(Step(byte: byte, border: matched))
        }
        self.steps = steps
    }

    public var isEmpty: Bool { steps.isEmpty }

    /// Whether bytes contain the text; true for the empty text.
    public func matches(_ span: RawSpan) -> Bool {
        guard let first = steps.first?.byte else { return true }
        let sought = UInt64(first | 0x20) &* Self.ones
        var (matched, index) = (0, 0)
        while index < span.byteCount {
            if matched == 0, index + 8 <= span.byteCount {
                // A byte becomes zero if it may begin the text. Usually none of the eight does.
                let eight = (span.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) | Self.ones << 5) ^ sought
                if (eight &- Self.ones) & ~eight & Self.ones << 7 == 0 {
                    index += 8
                    continue
                }
            }
            if ends(at: span.unsafeLoad(fromByteOffset: index, as: UInt8.self).small, &matched) { return true }
            index += 1
        }
        return false
    }

    /// Advances the match length by a byte; returns whether the whole text matches.
    private func ends(at byte: UInt8, _ matched: inout Int) -> Bool {
        while matched > 0, steps[matched].byte != byte { matched = steps[matched - 1].border }
        if steps[matched].byte == byte { matched += 1 }
        return matched == steps.count
    }
}

extension SubstringSearch {
    /// Prepares the search methods that ignore the case of all letters.
    init(anyCase text: String) { self.init(text.lowercased()) }

    /// Whether a text contains this one; requires `init(anyCase:)`.
    private func matches(anyCase text: String) -> Bool {
        let utf8 = text.utf8Span
        if utf8.isKnownASCII || isEmpty { return matches(utf8.span.bytes) }
        var (matched, isFound) = (0, false)
        text.forEachSmallByte { byte in
            isFound = ends(at: byte, &matched)
            return !isFound
        }
        return isFound
    }

    /// Whether a text begins with this one; requires `init(anyCase:)`.
    private func begins(anyCase text: String) -> Bool {
        var rest = steps[...]
        text.forEachSmallByte { byte in
            guard rest.first?.byte == byte else { return false }
            rest.removeFirst()
            return true
        }
        return rest.isEmpty
    }

    /// Whether a text ends with this one; requires `init(anyCase:)`.
    private func ends(anyCase text: String) -> Bool {
        var rest = steps[...]
        for scalar in text.unicodeScalars.reversed() {
            for byte in scalar.properties.lowercaseMapping.utf8.reversed() {
                guard let last = rest.popLast() else { return true }
                if last.byte != byte { return false }
            }
        }
        return rest.isEmpty
    }

    /// The signature that a text must have to contain this one; requires `init(anyCase:)`.
    var signature: Signature { Signature(text: String(decoding: steps.lazy.map(\.byte), as: UTF8.self)) }

    /// Whether it occurs at a place of a text; requires `init(anyCase:)`.
    ///
    /// - Parameter left: decreased by the steps of the search.
    func isFound(_ place: SearchedPlace, in text: String, _ left: inout Int) -> Bool {
        if place == .contains {
            left -= Self.steps(through: text)
            return matches(anyCase: text)
        }
        left -= min(steps.count, text.utf8.count) / ExpressionLimits.mappedBytesPerStep
        return place == .startsWith ? begins(anyCase: text) : ends(anyCase: text)
    }

    /// The steps of a case-insensitive search in a text.
    static func steps(through text: String) -> Int {
        let bytesPerStep =
            text.utf8Span.isKnownASCII ? ExpressionLimits.searchedBytesPerStep : ExpressionLimits.mappedBytesPerStep
        return text.utf8.count / bytesPerStep
    }
}

/// Where a text must occur; the raw value is the name of the function.
enum SearchedPlace: String, Sendable {
    case contains, startsWith, endsWith
}

extension String {
    /// The lower-case form; allocates only if it differs.
    var lowered: String {
        let utf8 = utf8Span
        guard utf8.isKnownASCII else { return lowercased() }
        let bytes = utf8.span
        for index in bytes.indices where bytes[index] != bytes[index].small { return lowercased() }
        return self
    }
}
