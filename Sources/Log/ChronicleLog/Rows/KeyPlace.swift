public struct KeyPlace: Sendable {
    public var uid: UInt32
    public var key: String

    public init(uid: UInt32, key: String) {
        self.uid = uid
        self.key = key
    }
}

extension KeyPlace: Equatable {
    /// Compares bytes: in the table, composed and decomposed "é" are two keys.
    public static func == (left: KeyPlace, right: KeyPlace) -> Bool {
        left.uid == right.uid && ExactText(left.key) == ExactText(right.key)
    }
}
