/// A set of a feature's scopes: bit i stands for `Feature.scopes[i]`.
public struct ScopeSet: OptionSet, Sendable, Equatable {
    /// The bits.
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The set of one scope, given its index (0 to 63).
    public init(index: Int) { self.rawValue = 1 << UInt64(index) }

    /// The same scopes where their feature's first scope stands at `offset` of the parent's list.
    public func shifted(by offset: Int) -> ScopeSet { ScopeSet(rawValue: rawValue << UInt64(offset)) }
}
