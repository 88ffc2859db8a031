import Chronicle
import ChronicleValues

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

/// Searches bytes for any of several texts, ignoring ASCII case (Aho–Corasick).
///
/// A search takes linear time, regardless of the number of texts. The automaton takes up to 9 bytes per byte of the texts.
public struct AnySubstringSearch: Sendable {
    // The trie of the texts in breadth-first order, as the last byte of each state. State 0 is the root. The children of a state are
    // adjacent and sorted by byte.
    private var lastBytes: [UInt8] = [0]
    // By state, its first child; its children end at the first child of the next state. A match has no children.
    private var firstChildren: [UInt32] = [1]
    // By state, its failure link: the state of its longest proper suffix in the trie.
    private var failureLinks: [UInt32] = [0]
    // The children of the root by byte; 0 for none.
    private var rootChildren = [UInt32](repeating: 0, count: 256)

    /// Builds the automaton; empty texts are ignored.
    public init(_ texts: [String]) {
        let texts = texts.map { $0.utf8.map(\.small) }.filter { !$0.isEmpty }.sorted { $0.lexicographicallyPrecedes($1) }
        // The texts are sorted, so those that share a prefix are adjacent.
        var (level, length, state) = (texts.isEmpty ? [] : [texts.indices], 0, 0)
        while !level.isEmpty {
            var nextLevel: [Range<Int>] = []
            for range in level {
                // A state that is a match, or ends with one, needs no children.
                if texts[range.lowerBound].count > length, state == 0 || !isMatch(Int(failureLinks[state])) {
                    nextLevel += appendChildren(state, texts[range], after: length)
                }
                firstChildren.append(UInt32(lastBytes.count))
                state += 1
            }
            (level, length) = (nextLevel, length + 1)
        }
    }

    /// Appends the children of a state; returns the texts of each.
    private mutating func appendChildren(_ state: Int, _ texts: ArraySlice<[UInt8]>, after length: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var next = texts.startIndex
        while next < texts.endIndex {
            let (begin, byte) = (next, texts[next][length])
            while next < texts.endIndex, texts[next][length] == byte { next += 1 }
            ranges.append(begin..<next)
            failureLinks.append(state == 0 ? 0 : UInt32(nextState(after: Int(failureLinks[state]), byte)))
            lastBytes.append(byte)
            if state == 0 { rootChildren[Int(byte)] = UInt32(lastBytes.count - 1) }
        }
        return ranges
    }

    public var isEmpty: Bool { lastBytes.count == 1 }

    public func matches(_ span: RawSpan) -> Bool {
        if isEmpty { return false }
        var state = 0
        for index in 0..<span.byteCount {
            state = nextState(after: state, span.unsafeLoad(fromByteOffset: index, as: UInt8.self).small)
            if state > 0, isMatch(state) { return true }
        }
        return false
    }

    private func nextState(after state: Int, _ byte: UInt8) -> Int {
        var state = state
        while state > 0 {
            if let child = child(of: state, byte) { return child }
            state = Int(failureLinks[state])
        }
        return Int(rootChildren[Int(byte)])
    }

    private func child(of state: Int, _ byte: UInt8) -> Int? {
        var (low, high) = (Int(firstChildren[state]), Int(firstChildren[state + 1]))
        while low < high {
            let middle = (low + high) / 2
            if lastBytes[middle] == byte { return middle }
            if lastBytes[middle] < byte { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private func isMatch(_ state: Int) -> Bool { firstChildren[state] == firstChildren[state + 1] }
}
