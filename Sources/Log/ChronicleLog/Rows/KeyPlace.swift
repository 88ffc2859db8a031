/// A key of a uid: a place in the table of keys.
public struct KeyPlace: Sendable {
    public var uid: UInt32
    public var key: String

    /// Names a place.
    public init(uid: UInt32, key: String) {
        self.uid = uid
        self.key = key
    }
}

extension KeyPlace: Equatable {
    /// Whether both have the same uid and the same bytes: in the table "é" composed and decomposed are two keys.
    public static func == (left: KeyPlace, right: KeyPlace) -> Bool {
        left.uid == right.uid && ExactText(left.key) == ExactText(right.key)
    }
}
