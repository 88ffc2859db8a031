/// What stands in the way of taking something back: a value that is no longer what was given to it.
public struct Conflict: Sendable, Equatable {
    /// Where: a field (`counter.count`), an element (`todos.items[12]`), or a field of one (`todos.items[12].title`).
    public var path: String
    /// The value that was given to it; `nil`: none was to be there.
    public var expected: Value?
    /// The value that is there; `nil`: none is.
    public var found: Value?

    public init(_ path: String, expected: Value?, found: Value?) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// The same conflict, seen from one level further up.
    public func under(_ name: String) -> Conflict {
        Conflict(path.isEmpty ? name : name + "." + path, expected: expected, found: found)
    }
}
