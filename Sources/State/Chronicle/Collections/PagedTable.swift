/// A persistent map from 64-bit IDs to elements; copies share unchanged parts.
///
/// A radix tree with a fan-out of 16. A change affects one page and its path, in place if no copy exists, and by copying them otherwise.
/// Each access takes logarithmic time to the base of 16. The shape and the iteration order (by ID) depend only on the contents.
@usableFromInline struct PagedTable<Element: Sendable>: Sendable {
    @usableFromInline var root = Node()
    // Number of levels above the lowest one.
    @usableFromInline var height = 0
    @usableFromInline var storedCount = 0

    @inlinable init() {}

    @inlinable var count: Int { storedCount }

    @inlinable var isEmpty: Bool { storedCount == 0 }

    /// The element of an ID; setting nil removes it.
    @inlinable subscript(id: UInt64) -> Element? {
        get { read(id) { $0 } }
        set { if let newValue { set(newValue, for: id) } else { remove(id) } }
    }

    @inlinable func contains(_ id: UInt64) -> Bool { fits(id) && root.contains(id, height) }

    /// Reads an element without copying it; nil if it is missing.
    @inlinable func read<Result>(_ id: UInt64, _ body: (Element) -> Result) -> Result? {
        fits(id) ? root.read(id, height, body) : nil
    }

    /// Returns the page of an ID; an empty page if it is missing.
    @inlinable
    func page(of id: UInt64) -> Page { Page(ids: id >> PageBits.perLevel, node: fits(id) ? root.page(of: id, height) : Node()) }

    /// Inserts or replaces an element.
    @inlinable mutating func set(_ element: Element, for id: UInt64) {
        while !fits(id) {
            if storedCount > 0 { root = Node(pageOf: root) }
            height += 1
        }
        if root.set(element, id, height) { storedCount += 1 }
    }

    /// Changes an element in place; returns nil and copies nothing if it is missing.
    @inlinable @discardableResult mutating func update<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result? {
        guard contains(id) else { return nil }
        return root.update(id, height, body)
    }

    @inlinable mutating func updatePresent<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result {
        root.update(id, height, body)
    }

    /// Removes an element; returns nil and copies nothing if it is missing.
    @inlinable @discardableResult mutating func remove(_ id: UInt64) -> Element? {
        guard contains(id) else { return nil }
        let removed = root.remove(id, height)
        storedCount -= 1
        while height > 0, root.bitmap == 1 || storedCount == 0 {
            root = root.children.first ?? Node()
            height -= 1
        }
        return removed
    }

    /// Iterates over the elements by ascending ID until the body returns false.
    @inlinable @discardableResult
    func forEach(_ body: (UInt64, Element) -> Bool) -> Bool { root.forEach(prefix: 0, height, body) }

    /// Whether both share their storage, in constant time; tables that don't may still be equal.
    @inlinable func isIdentical(to other: PagedTable) -> Bool { height == other.height && root.isIdentical(to: other.root) }

    @inlinable func fits(_ id: UInt64) -> Bool {
        // A shift by 64 or more yields 0.
        id >> (PageBits.perLevel * UInt64(height + 1)) == 0
    }
}
