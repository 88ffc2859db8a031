import Values

/// Looks for any of some texts in bytes, whatever the case of their letters a to z.
///
/// Takes time in proportion to the bytes alone, however many texts there are and whatever they are (Aho and Corasick), and 9 bytes of
/// memory for each byte of the texts.
public struct AnySubstringSearch: Sendable {
    // All beginnings of the texts, each once, the shorter ones first; the first is the empty one. Those that are one byte longer than
    // another stand together, in the order of that byte.
    private var lastBytes: [UInt8] = [0]
    // Where those begin that are one byte longer; they end where those of the next one begin. Only of a whole text there are none.
    private var extensions: [UInt32] = [1]
    // The longest other beginning with which this one ends.
    private var suffixes: [UInt32] = [0]
    // Those of one byte, by that byte; 0: there is none.
    private var firsts = [UInt32](repeating: 0, count: 256)

    /// Prepares to look for texts; what is empty is not looked for.
    public init(_ texts: [String]) {
        let texts = texts.map { $0.utf8.map(\.small) }.filter { !$0.isEmpty }
            .sorted { $0.lexicographicallyPrecedes($1) }
        // The texts with a beginning stand together, too.
        var (level, length, place) = (texts.isEmpty ? [] : [texts.indices], 0, 0)
        while !level.isEmpty {
            var longer: [Range<Int>] = []
            for range in level {
                // Where one of the texts ends all is known; so it is where another one ends with this beginning.
                if texts[range.lowerBound].count > length, place == 0 || !isWhole(Int(suffixes[place])) {
                    longer += extend(place, texts[range], behind: length)
                }
                extensions.append(UInt32(lastBytes.count))
                place += 1
            }
            (level, length) = (longer, length + 1)
        }
    }

    /// Adds what is one byte longer than a beginning; gives the texts of each.
    private mutating func extend(_ place: Int, _ texts: ArraySlice<[UInt8]>, behind length: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var next = texts.startIndex
        while next < texts.endIndex {
            let (begin, byte) = (next, texts[next][length])
            while next < texts.endIndex, texts[next][length] == byte { next += 1 }
            ranges.append(begin..<next)
            suffixes.append(place == 0 ? 0 : UInt32(self.place(behind: Int(suffixes[place]), byte)))
            lastBytes.append(byte)
            if place == 0 { firsts[Int(byte)] = UInt32(lastBytes.count - 1) }
        }
        return ranges
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { lastBytes.count == 1 }

    /// Whether one of the texts stands somewhere in bytes.
    public func matches(_ span: RawSpan) -> Bool {
        if isEmpty { return false }
        var place = 0
        for index in 0..<span.byteCount {
            place = self.place(behind: place, span.unsafeLoad(fromByteOffset: index, as: UInt8.self).small)
            if place > 0, isWhole(place) { return true }
        }
        return false
    }

    /// The longest beginning with which another one ends when a byte comes behind it.
    private func place(behind place: Int, _ byte: UInt8) -> Int {
        var place = place
        while place > 0 {
            if let longer = longer(place, byte) { return longer }
            place = Int(suffixes[place])
        }
        return Int(firsts[Int(byte)])
    }

    private func longer(_ place: Int, _ byte: UInt8) -> Int? {
        var (low, high) = (Int(extensions[place]), Int(extensions[place + 1]))
        while low < high {
            let middle = (low + high) / 2
            if lastBytes[middle] == byte { return middle }
            if lastBytes[middle] < byte { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Whether one of the texts ends here.
    private func isWhole(_ place: Int) -> Bool { extensions[place] == extensions[place + 1] }
}
