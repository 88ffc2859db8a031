extension String {
    /// Whether both have the same UTF-8 bytes; composed and decomposed "é" differ.
    ///
    /// The fold must compare texts only in this way, because Unicode equivalence changes with the Unicode tables.
    public func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let left = utf8Span.span
        let right = other.utf8Span.span
        // States share strings, so comparing the storage first avoids most byte comparisons.
        if left.isIdentical(to: right) { return true }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

extension [String] {
    /// Whether both have the same elements, compared by their UTF-8 bytes.
    public func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
