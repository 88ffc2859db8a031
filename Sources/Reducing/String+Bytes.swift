extension String {
    /// Whether both have the same UTF-8 bytes: "é" composed and decomposed differ.
    ///
    /// The fold compares texts this way alone, because what Unicode calls equal changes with its tables. This comparison doesn't.
    public func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension [String] {
    /// Whether both have the same texts, by their UTF-8 bytes.
    public func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
