extension PagedTable {
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
