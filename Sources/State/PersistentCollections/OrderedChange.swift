/// One step from an older `OrderedTable` to a newer one.
public enum OrderedChange<Element: Sendable>: Sendable {
    /// An element left; it stood at `index`.
    case remove(id: UInt64, index: Int, Element)
    /// An element came and stands at `index`.
    case insert(id: UInt64, index: Int, Element)
    /// An element was taken from one place and then put at another.
    case move(id: UInt64, from: Int, to: Int)
    /// The element at `index` has other contents.
    case replace(id: UInt64, index: Int, old: Element, new: Element)
}

extension OrderedChange: Equatable where Element: Equatable {}
