/// A key of a uid: a place in the table of keys.
public struct KeyPlace: Sendable, Hashable {
    /// Whose it is.
    public var uid: UInt32
    /// The key.
    public var key: String

    /// Names a place.
    public init(uid: UInt32, key: String) {
        self.uid = uid
        self.key = key
    }
}
