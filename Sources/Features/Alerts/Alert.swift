import Reducing

/// Something that a person should know, until somebody dismisses it.
public struct Alert: Sendable {
    /// Its id, a small whole number from 1 that is never used again.
    public var id: UInt64
    /// What happened, as a sentence that says what to do.
    public var text: String

    /// Makes an alert.
    public init(id: UInt64, text: String) {
        self.id = id
        self.text = text
    }
}

extension Alert: Identifiable {}

extension Alert: Equatable {
    /// Compares both, the text by its bytes.
    public static func == (left: Alert, right: Alert) -> Bool {
        left.id == right.id && left.text.hasSameBytes(as: right.text)
    }
}
