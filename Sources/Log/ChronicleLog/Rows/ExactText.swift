/// A text compared by its UTF-8 bytes.
///
/// `String` treats composed and decomposed "é" as equal; stored names and those of clients are distinguished by their bytes.
public struct ExactText: Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        let bytes = text.utf8Span.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index % 8 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
