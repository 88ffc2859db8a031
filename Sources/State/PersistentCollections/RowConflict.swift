/// A row of an `OrderedTable` that is no longer as it was left, and so stands in the way of being takenBack.
public enum RowConflict<Element: Sendable>: Sendable {
    /// It has other contents (`nil`: it isn't there) than those that it was left with (`nil`: it was taken out).
    case contents(id: UInt64, expected: Element?, found: Element?)
    /// It was moved from the place at which it was left to another.
    case place(id: UInt64, expected: Int, found: Int)
}

extension RowConflict: Equatable where Element: Equatable {}
