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

    @inlinable @discardableResult
    func forEach(_ body: (UInt64, Element) -> Bool) -> Bool { root.forEach(prefix: 0, height, body) }
    @inlinable func isIdentical(to other: PagedTable) -> Bool { height == other.height && root.isIdentical(to: other.root) }

    @inlinable func fits(_ id: UInt64) -> Bool {
        // A shift by 64 or more yields 0.
        id >> (PageBits.perLevel * UInt64(height + 1)) == 0
    }

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

    /// A page that was looked up, for reading several nearby IDs.
    @usableFromInline struct Page {
        @usableFromInline let ids: UInt64
        @usableFromInline let node: Node

        @inlinable init(ids: UInt64, node: Node) { (self.ids, self.node) = (ids, node) }
        @inlinable func contains(_ id: UInt64) -> Bool { id >> PageBits.perLevel == ids }

        @inlinable func position(of id: UInt64) -> Int? {
            let bit = Node.bit(id, 0)
            return node.bitmap & bit != 0 ? node.position(bit) : nil
        }
    }

    /// Iterates over the differences from an older table by ascending ID until the body returns false; returns whether it completed.
    ///
    /// Shared pages are skipped, so the cost is proportional to the number of changed pages. The body receives the ID, the old element and
    /// the new element, each as a span of one element or an empty span. Spans avoid copies, which would cost more than most bodies.
    @inlinable @discardableResult func forEachDifference(
        from old: PagedTable, isSame: (Element, Element) -> Bool, _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        let top = Swift.max(height, old.height)
        return Node.forEachDifference(old.lifted(to: top), lifted(to: top), prefix: 0, top, isSame, body)
    }

    @inlinable func lifted(to top: Int) -> Node {
        guard storedCount > 0 else { return Node() }
        var lifted = root
        for _ in height..<top { lifted = Node(pageOf: lifted) }
        return lifted
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

extension PagedTable.Node {
    @inlinable static func forEachDifference(
        _ old: Self, _ new: Self, prefix: UInt64, _ level: Int, _ isSame: (Element, Element) -> Bool,
        _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        if old.isIdentical(to: new) { return true }
        if old.bitmap == new.bitmap { return forEachReplacement(old, new, prefix: prefix, level, isSame, body) }
        var rest = old.bitmap | new.bitmap
        // The positions of the next elements or pages.
        var (oldAt, newAt) = (0, 0)
        while rest != 0 {
            let id = prefix << PageBits.perLevel | UInt64(rest.trailingZeroBitCount)
            let bit = rest & (0 &- rest)
            rest &= rest &- 1
            let (isOld, isNew) = (old.bitmap & bit != 0, new.bitmap & bit != 0)
            defer { (oldAt, newAt) = (oldAt &+ (isOld ? 1 : 0), newAt &+ (isNew ? 1 : 0)) }
            // The storage is compared first: nearly all elements are unchanged, and a copy would cost more.
            if level == 0 {
                if isOld, isNew, old.elements.isBitwiseEqual(oldAt, in: new.elements, at: newAt) { continue }
                if isOld, isNew, isSame(old.elements.span[oldAt], new.elements.span[newAt]) { continue }
                let olds = old.elements.span.extracting(oldAt..<oldAt + (isOld ? 1 : 0))
                let news = new.elements.span.extracting(newAt..<newAt + (isNew ? 1 : 0))
                guard body(id, olds, news) else { return false }
            } else {
                if isOld, isNew, old.children.span[oldAt].isIdentical(to: new.children.span[newAt]) { continue }
                let goesOn =
                    if isOld, isNew {
                        forEachDifference(old.children.span[oldAt], new.children.span[newAt], prefix: id, level - 1, isSame, body)
                    } else if isOld {
                        forEachDifference(old.children.span[oldAt], Self(), prefix: id, level - 1, isSame, body)
                    } else {
                        forEachDifference(Self(), new.children.span[newAt], prefix: id, level - 1, isSame, body)
                    }
                guard goesOn else { return false }
            }
        }
        return true
    }

    /// Handles the common case of two pages with the same IDs, where equal positions have equal IDs.
    @inlinable static func forEachReplacement(
        _ old: Self, _ new: Self, prefix: UInt64, _ level: Int, _ isSame: (Element, Element) -> Bool,
        _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        func id(_ index: Int) -> UInt64 { prefix << PageBits.perLevel | UInt64(new.bitmap.indexOfSetBit(index)) }
        if level == 0 {
            for index in old.elements.indices {
                if old.elements.isBitwiseEqual(index, in: new.elements, at: index) { continue }
                if isSame(old.elements.span[index], new.elements.span[index]) { continue }
                let range = index..<index + 1
                guard body(id(index), old.elements.span.extracting(range), new.elements.span.extracting(range)) else {
                    return false
                }
            }
            return true
        }
        for index in old.children.indices {
            if old.children.span[index].isIdentical(to: new.children.span[index]) { continue }
            guard
                forEachDifference(old.children.span[index], new.children.span[index], prefix: id(index), level - 1, isSame, body)
            else { return false }
        }
        return true
    }
}

extension UInt32 {
    @inlinable func indexOfSetBit(_ rank: Int) -> Int {
        var rest = self
        for _ in 0..<rank { rest &= rest &- 1 }
        return rest.trailingZeroBitCount
    }
}
