public import Reducing

/// Lends paths and expressions what they ask for of a state, and no more of it.
///
/// Mutating, so that a reader can keep what it has made until it is asked again.
public protocol StateReader {
    /// The list that stands at the longest or only beginning of some names, and how many names lead to it.
    mutating func list(along names: [String]) -> (view: ListView, depth: Int)?

    /// What stands at some names, its lists that `list(along:)` knows left empty; `nil` where there is nothing.
    mutating func value(at names: [String]) -> Value?
}

/// Lends the parts of a value; every list is read as a part of it.
public struct ValueReader: StateReader, Sendable {
    /// The whole.
    public var root: Value

    public init(_ root: Value) { self.root = root }

    /// None: all lists stand in the value.
    public mutating func list(along names: [String]) -> (view: ListView, depth: Int)? { nil }

    /// The part at some names.
    public mutating func value(at names: [String]) -> Value? {
        names.reduce(Optional(root)) { value, name in value?.part(.name(name)) }
    }
}
