/// How one place of a state is followed from state to state, without a look at the rest of it.
///
/// States are lent to it to be changed, because to reach into one is a visit of its fields; it changes none.
public enum PlaceFollower<State: Sendable>: Sendable {
    /// What stands there; `null` for nothing.
    case value(@Sendable (inout State) -> Value)
    /// A list whose elements have ids.
    case list(ListFollower<State>)
}

/// How a list is followed from state to state.
public struct ListFollower<State: Sendable>: Sendable {
    /// The fields that it shows of an element, in their order.
    public var fields: [String]
    /// How many elements it has.
    public var count: @Sendable (inout State) -> Int
    /// Tells of each element that one state has otherwise than another how it was and how it is, `nil` where there was or is none.
    ///
    /// Of the element it shows `fields`, each of them, also those that are left out elsewhere: as `null`; of one that moved, or has changed in
    /// other fields, they may be the same. What both states share is not looked at. It ends, and gives `false`, where the body does.
    public var differences:
        @Sendable (_ old: inout State, _ new: inout State, _ body: ([Value.Field]?, [Value.Field]?) -> Bool) -> Bool

    @inlinable
    public init(
        fields: [String], count: @escaping @Sendable (inout State) -> Int,
        differences: @escaping @Sendable (inout State, inout State, ([Value.Field]?, [Value.Field]?) -> Bool) -> Bool
    ) {
        self.fields = fields
        self.count = count
        self.differences = differences
    }
}
