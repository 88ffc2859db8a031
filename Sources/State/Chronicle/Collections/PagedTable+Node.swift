extension PagedTable {
    /// A page: up to 16 elements on the lowest level, up to 16 pages above it.
    ///
    /// Nodes are read through spans, because an array subscript retains the element. Recursive functions are marked as read-only, which the
    /// compiler can't infer: otherwise each page on the path would be retained, which costs 5 % of a replay. Only occupied slots are
    /// stored, in order, as indicated by the bitmap. One of the two arrays is always empty. An enum of both would save eight bytes per page
    /// but could not be mutated in place.
    @usableFromInline struct Node: Sendable {
        @usableFromInline var bitmap: UInt32 = 0
        @usableFromInline var children: [Node] = []
        @usableFromInline var elements: [Element] = []

        @inlinable init() {}

        @inlinable init(pageOf child: Node) {
            bitmap = 1
            children = [child]
        }

        @inlinable static func bit(_ id: UInt64, _ level: Int) -> UInt32 {
            1 << UInt32(truncatingIfNeeded: (id >> (PageBits.perLevel * UInt64(level))) & PageBits.mask)
        }

        @inlinable func position(_ bit: UInt32) -> Int { (bitmap & (bit &- 1)).nonzeroBitCount }

        @_effects(readonly) @inlinable func contains(_ id: UInt64, _ level: Int) -> Bool {
            let bit = Self.bit(id, level)
            guard bitmap & bit != 0 else { return false }
            return level == 0 || children.span[position(bit)].contains(id, level - 1)
        }

        @inlinable func read<Result>(_ id: UInt64, _ level: Int, _ body: (Element) -> Result) -> Result? {
            let bit = Self.bit(id, level)
            guard bitmap & bit != 0 else { return nil }
            return level == 0 ? body(elements.span[position(bit)]) : children.span[position(bit)].read(id, level - 1, body)
        }

        @inlinable func page(of id: UInt64, _ level: Int) -> Node {
            if level == 0 { return self }
            let bit = Self.bit(id, level)
            return bitmap & bit != 0 ? children.span[position(bit)].page(of: id, level - 1) : Node()
        }

        /// Returns whether the element is new.
        @inlinable mutating func set(_ element: Element, _ id: UInt64, _ level: Int) -> Bool {
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

        @inlinable mutating func update<Result>(_ id: UInt64, _ level: Int, _ body: (inout Element) -> Result) -> Result {
            let position = position(Self.bit(id, level))
            return level == 0 ? body(&elements[position]) : children[position].update(id, level - 1, body)
        }

        @inlinable mutating func remove(_ id: UInt64, _ level: Int) -> Element {
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

        @inlinable func forEach(prefix: UInt64, _ level: Int, _ body: (UInt64, Element) -> Bool) -> Bool {
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

        @inlinable func isIdentical(to other: Node) -> Bool {
            bitmap == other.bitmap
                && (bitmap == 0 || children.hasSameStorage(as: other.children) && elements.hasSameStorage(as: other.elements))
        }
    }
}

extension PagedTable {
    /// A page that was looked up, for reading several nearby IDs.
    @usableFromInline struct Page {
        @usableFromInline let ids: UInt64
        @usableFromInline let node: Node

        @inlinable init(ids: UInt64, node: Node) { (self.ids, self.node) = (ids, node) }

        @inlinable func contains(_ id: UInt64) -> Bool { id >> PageBits.perLevel == ids }

        /// Returns the position of an ID's element in the node; nil if it is missing.
        @inlinable func position(of id: UInt64) -> Int? {
            let bit = Node.bit(id, 0)
            return node.bitmap & bit != 0 ? node.position(bit) : nil
        }
    }
}

/// Splits IDs into slots per level.
///
/// With 16 slots, a change while a copy exists takes half the time of 32 slots in a table of a million elements, because fewer neighbours
/// outside the caches must be retained. Lookups have slightly more levels.
@usableFromInline enum PageBits {
    @inlinable static var perLevel: UInt64 { 4 }
    @inlinable static var mask: UInt64 { 15 }
}
