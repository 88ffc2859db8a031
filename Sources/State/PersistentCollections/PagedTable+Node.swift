extension PagedTable {
    /// A page: up to 16 elements on the lowest level, up to 16 pages above it.
    ///
    /// Reading goes through spans, because an array's own subscript retains what it lends. What calls itself is said to read only, which
    /// the compiler can't see through the recursion: else it would retain each page on the way, a twentieth of a replay.
    ///
    /// Only the places that are taken are stored, in order; the bitmap says which. One of the two arrays is always
    /// empty: an enum of both would save eight bytes a page, but could not be changed in place without moving its payload.
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var bitmap: UInt32 = 0
        @usableFromInline var children: [Node] = []
        @usableFromInline var elements: [Element] = []

        @inlinable
        init() {}

        /// The page above a page, which stands first in it.
        @inlinable
        init(pageOf child: Node) {
            bitmap = 1
            children = [child]
        }

        @inlinable
        static func bit(_ id: UInt64, _ level: Int) -> UInt32 {
            1 << UInt32(truncatingIfNeeded: (id >> (PageBits.perLevel * UInt64(level))) & PageBits.mask)
        }

        @inlinable
        func position(_ bit: UInt32) -> Int { (bitmap & (bit &- 1)).nonzeroBitCount }

        @_effects(readonly)
        @inlinable
        func contains(_ id: UInt64, _ level: Int) -> Bool {
            let bit = Self.bit(id, level)
            guard bitmap & bit != 0 else { return false }
            return level == 0 || children.span[position(bit)].contains(id, level - 1)
        }

        @inlinable
        func read<Result>(_ id: UInt64, _ level: Int, _ body: (Element) -> Result) -> Result? {
            let bit = Self.bit(id, level)
            guard bitmap & bit != 0 else { return nil }
            return level == 0 ? body(elements.span[position(bit)]) : children.span[position(bit)].read(id, level - 1, body)
        }

        @inlinable
        func page(of id: UInt64, _ level: Int) -> Node {
            if level == 0 { return self }
            let bit = Self.bit(id, level)
            return bitmap & bit != 0 ? children.span[position(bit)].page(of: id, level - 1) : Node()
        }

        /// Answers whether the element is a new one.
        @inlinable
        mutating func set(_ element: Element, _ id: UInt64, _ level: Int) -> Bool {
            let bit = Self.bit(id, level)
            let position = position(bit)
            let isTaken = bitmap & bit != 0
            bitmap |= bit
            if level > 0 {
                if !isTaken { children.insert(Node(), at: position) }
                return children[position].set(element, id, level - 1)
            }
            if isTaken { elements[position] = element } else { elements.insert(element, at: position) }
            return !isTaken
        }

        @inlinable
        mutating func update<Result>(_ id: UInt64, _ level: Int, _ body: (inout Element) -> Result) -> Result {
            let position = position(Self.bit(id, level))
            return level == 0 ? body(&elements[position]) : children[position].update(id, level - 1, body)
        }

        @inlinable
        mutating func remove(_ id: UInt64, _ level: Int) -> Element {
            let bit = Self.bit(id, level)
            let position = position(bit)
            if level == 0 {
                bitmap &= ~bit
                return elements.remove(at: position)
            }
            let removed = children[position].remove(id, level - 1)
            if children[position].bitmap == 0 {
                bitmap &= ~bit
                children.remove(at: position)
            }
            return removed
        }

        @inlinable
        func forEach(prefix: UInt64, _ level: Int, _ body: (UInt64, Element) -> Bool) -> Bool {
            var rest = bitmap
            var position = 0
            while rest != 0 {
                let id = prefix << PageBits.perLevel | UInt64(rest.trailingZeroBitCount)
                guard
                    level == 0 ? body(id, elements.span[position]) : children.span[position].forEach(prefix: id, level - 1, body)
                else { return false }
                rest &= rest &- 1
                position += 1
            }
            return true
        }

        @inlinable
        func isIdentical(to other: Node) -> Bool {
            bitmap == other.bitmap
                && (bitmap == 0 || children.hasSameStorage(as: other.children) && elements.hasSameStorage(as: other.elements))
        }
    }
}

extension PagedTable {
    /// A page that was looked up, for who reads several ids that stand near each other.
    @usableFromInline
    struct Page {
        /// What its ids have in common.
        @usableFromInline let ids: UInt64
        @usableFromInline let node: Node

        @inlinable
        init(ids: UInt64, node: Node) { (self.ids, self.node) = (ids, node) }

        /// Whether an id has its place here.
        @inlinable
        func isOf(_ id: UInt64) -> Bool { id >> PageBits.perLevel == ids }

        /// Where the element of an id that has its place here stands in the node; `nil` if there is none.
        @inlinable
        func position(of id: UInt64) -> Int? {
            let bit = Node.bit(id, 0)
            return node.bitmap & bit != 0 ? node.position(bit) : nil
        }
    }
}

/// How ids are cut into places on pages.
///
/// With 16 places a change while a copy is kept takes half as long in a table of a million as with 32, because it shares out
/// half as many neighbours that aren't in any cache; finding is a little deeper.
@usableFromInline
enum PageBits {
    @inlinable static var perLevel: UInt64 { 4 }
    @inlinable static var mask: UInt64 { 15 }
}
