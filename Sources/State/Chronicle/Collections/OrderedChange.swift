/// A step of a diff between two ordered tables.
public enum OrderedChange<Element: Sendable>: Sendable {
    /// An element at `index` was removed.
    case remove(id: UInt64, index: Int, Element)
    /// An element was inserted at `index`.
    case insert(id: UInt64, index: Int, Element)
    /// An element was removed from one index and then inserted at another.
    case move(id: UInt64, from: Int, to: Int)
    /// The element at `index` was replaced.
    case replace(id: UInt64, index: Int, old: Element, new: Element)
}

extension OrderedChange: Equatable where Element: Equatable {}
