/// A text that is the same as another only when their UTF-8 bytes are.
///
/// `String` takes "é" for the same composed and decomposed; what is stored, and what a client named, is its bytes.
public struct ExactText: Sendable {
    public let text: String

    /// Takes a text as it is written.
    public init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
    /// Whether both have the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Feeds in the bytes, eight at a time.
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
