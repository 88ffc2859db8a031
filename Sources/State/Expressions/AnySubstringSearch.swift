import ChronicleValues

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
        let texts = texts.map { $0.utf8.map(\.small) }.filter { !$0.isEmpty }
            .sorted { $0.lexicographicallyPrecedes($1) }
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

    /// Whether there is no text to search for.
    public var isEmpty: Bool { lastBytes.count == 1 }

    /// Whether bytes contain one of the texts.
    public func matches(_ span: RawSpan) -> Bool {
        if isEmpty { return false }
        var state = 0
        for index in 0..<span.byteCount {
            state = nextState(after: state, span.unsafeLoad(fromByteOffset: index, as: UInt8.self).small)
            if state > 0, isMatch(state) { return true }
        }
        return false
    }

    /// The next state after a byte.
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

    /// Whether the state is one of the texts.
    private func isMatch(_ state: Int) -> Bool { firstChildren[state] == firstChildren[state + 1] }
}
