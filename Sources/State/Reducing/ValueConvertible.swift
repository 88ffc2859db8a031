/// Has a form as a `Value`, and can be read back from it.
public protocol ValueConvertible: Sendable {
    /// Reads a value strictly: an unknown field is a mismatch, not ignored.
    init(_ value: Value) throws(ValueMismatch)
    /// The neutral form.
    var value: Value { get }
}

/// A value that does not fit the type it is read as.
public struct ValueMismatch: Error, Sendable, Equatable {
    /// Where, as names joined by dots: `todos.add.items[0].title`.
    public var path: String
    /// What is wrong and what is expected, as a sentence.
    public var message: String

    public init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    /// The same mismatch, seen from one level further up.
    public func under(_ name: String) -> ValueMismatch {
        ValueMismatch(path.isEmpty ? name : path.hasPrefix("[") ? name + path : name + "." + path, message)
    }
}
