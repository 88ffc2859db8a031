public import Chronicle
public import Expressions

/// The record that last changed a value.
public struct Origin: Sendable, Equatable {
    public var sequence: UInt64
    public var path: Path
    /// The value before the record; `nil`: none, or a whole list or feature.
    public var old: Value?
    /// The value after the record; `nil`: removed.
    public var new: Value?
}
