public import Expressions
public import Reducing

/// Which record gave a place of the state its value.
public struct Origin: Sendable, Equatable {
    public var sequence: UInt64
    /// The place.
    public var path: Path
    /// What stood there before it; `nil`: nothing did.
    ///
    /// Of a whole list or feature neither value is told.
    public var old: Value?
    /// What it put there; `nil`: nothing is there since.
    public var new: Value?
}
