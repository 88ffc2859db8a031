/// A table by 64-bit id whose copies share their unchanged parts.
///
/// A radix tree of pages of 16: a change touches one page and the path to it, in place while nobody holds a copy, and
/// otherwise by copying just those. Every access takes logarithmic time to the base of 16. Its shape, and the order of a
/// walk through it (by id), depend on its contents alone.
public struct PagedTable<Element: Sendable>: Sendable {
    @usableFromInline var root = Node()
    // Levels of pages above the lowest one.
    @usableFromInline var height = 0
    @usableFromInline var storedCount = 0

    @inlinable
    public init() {}

    /// How many elements there are.
    @inlinable public var count: Int { storedCount }

    @inlinable public var isEmpty: Bool { storedCount == 0 }

    /// The element of an id; setting `nil` removes it.
    @inlinable
    public subscript(id: UInt64) -> Element? {
        get { read(id) { $0 } }
        set {
            if let newValue { set(newValue, for: id) } else { remove(id) }
        }
    }

    /// Whether there is an element of that id.
    @inlinable
    public func contains(_ id: UInt64) -> Bool {
        fits(id) && root.contains(id, height)
    }

    /// Looks at an element without copying it; `nil` if there is none.
    @inlinable
    public func read<Result>(_ id: UInt64, _ body: (Element) -> Result) -> Result? {
        fits(id) ? root.read(id, height, body) : nil
    }

    /// The page on which an id has its place; the empty one if there is none.
    @inlinable
    func page(of id: UInt64) -> Page {
        Page(ids: id >> PageBits.perLevel, node: fits(id) ? root.page(of: id, height) : Node())
    }

    /// Puts an element under an id, in place of one that stands there.
    @inlinable
    public mutating func set(_ element: Element, for id: UInt64) {
        while !fits(id) {
            if storedCount > 0 { root = Node(pageOf: root) }
            height += 1
        }
        if root.set(element, id, height) { storedCount += 1 }
    }

    /// Changes an element in place; `nil`, and nothing is copied, if there is none.
    @inlinable
    @discardableResult
    public mutating func update<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result? {
        guard contains(id) else { return nil }
        return root.update(id, height, body)
    }

    /// Changes an element that is known to be there.
    @inlinable
    mutating func updatePresent<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result {
        root.update(id, height, body)
    }

    /// Takes an element out; `nil`, and nothing is copied, if there is none.
    @inlinable
    @discardableResult
    public mutating func remove(_ id: UInt64) -> Element? {
        guard contains(id) else { return nil }
        let removed = root.remove(id, height)
        storedCount -= 1
        while height > 0, root.bitmap == 1 || storedCount == 0 {
            root = root.children.first ?? Node()
            height -= 1
        }
        return removed
    }

    /// Walks through all elements, smallest id first, for as long as the body says true.
    @inlinable
    @discardableResult
    public func forEach(_ body: (UInt64, Element) -> Bool) -> Bool {
        root.forEach(prefix: 0, height, body)
    }

    /// Whether both are the same stored table, in constant time; tables that are not may still be equal.
    @inlinable
    public func isIdentical(to other: PagedTable) -> Bool {
        height == other.height && root.isIdentical(to: other.root)
    }

    @inlinable
    func fits(_ id: UInt64) -> Bool {
        // A shift by 64 or more gives 0.
        id >> (PageBits.perLevel * UInt64(height + 1)) == 0
    }
}
