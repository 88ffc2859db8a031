/// A row of an `OrderedTable` that has changed since the change that is reverted; the caller decides whether its fields conflict.
@usableFromInline enum RowConflict<Element: Sendable>: Sendable {
    /// The contents before and after the change that is reverted, and the present ones; nil for a missing row.
    case contents(id: UInt64, before: Element?, after: Element?, found: Element?)
    /// The row was moved away from its expected index.
    case place(id: UInt64, expected: Int, found: Int)
}

extension RowConflict: Equatable where Element: Equatable {}
