extension String {
    /// Whether both have the same UTF-8 bytes: "é" composed and decomposed differ.
    ///
    /// The fold compares texts this way alone, because what Unicode calls equal changes with its tables. This comparison doesn't.
    public func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let left = utf8Span.span
        let right = other.utf8Span.span
        // The same storage, as in states that share their parts, is known without a look at it.
        if left.isIdentical(to: right) { return true }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

extension [String] {
    /// Whether both have the same texts, by their UTF-8 bytes.
    public func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
