/// Some fields of the elements of a list, one element behind the other in one array: nothing is made for each of them.
public struct ListColumns: Sendable {
    /// The names of the fields, in the order in which each element has them.
    public var names: [String]
    /// Adds those of the elements of a range within `0..<count`; what an element does not have is `null`.
    public var append: @Sendable (Range<Int>, inout [Value]) -> Void

    /// Makes columns.
    public init(names: [String], append: @escaping @Sendable (Range<Int>, inout [Value]) -> Void) {
        self.names = names
        self.append = append
    }
}
