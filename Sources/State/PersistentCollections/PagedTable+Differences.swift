extension PagedTable {
    /// Walks through what differs from an older table, smallest id first, for as long as the body says true.
    ///
    /// Pages that both share are skipped, so the cost is that of the pages changed since. The body is given the id, and as spans of one the
    /// older element and this one's (of none where there is none): lent where they stand, because a copy costs more than most bodies do.
    /// - Returns: Whether the walk came to its end.
    @inlinable
    @discardableResult
    public func forEachDifference(
        from old: PagedTable, isSame: (Element, Element) -> Bool, _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        let top = Swift.max(height, old.height)
        return Node.forEachDifference(old.lifted(to: top), lifted(to: top), prefix: 0, top, isSame, body)
    }

    /// The root as it would stand under more levels of pages.
    @inlinable
    func lifted(to top: Int) -> Node {
        guard storedCount > 0 else { return Node() }
        var lifted = root
        for _ in height..<top { lifted = Node(pageOf: lifted) }
        return lifted
    }
}

extension PagedTable.Node {
    @inlinable
    static func forEachDifference(
        _ old: Self, _ new: Self, prefix: UInt64, _ level: Int, _ isSame: (Element, Element) -> Bool,
        _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        if old.isIdentical(to: new) { return true }
        if old.bitmap == new.bitmap { return forEachReplacement(old, new, prefix: prefix, level, isSame, body) }
        var rest = old.bitmap | new.bitmap
        // Where the next elements or pages stand.
        var (oldAt, newAt) = (0, 0)
        while rest != 0 {
            let id = prefix << PageBits.perLevel | UInt64(rest.trailingZeroBitCount)
            let bit = rest & (0 &- rest)
            rest &= rest &- 1
            let (isOld, isNew) = (old.bitmap & bit != 0, new.bitmap & bit != 0)
            defer { (oldAt, newAt) = (oldAt &+ (isOld ? 1 : 0), newAt &+ (isNew ? 1 : 0)) }
            // Lent where they stand, and first compared by what is stored: nearly all are the same, and a copy costs more than that.
            if level == 0 {
                if isOld, isNew, old.elements.isStoredAlike(oldAt, in: new.elements, at: newAt) { continue }
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

    /// The same of two pages with the same ids, as nearly all are: each place is that of the same id in both.
    @inlinable
    static func forEachReplacement(
        _ old: Self, _ new: Self, prefix: UInt64, _ level: Int, _ isSame: (Element, Element) -> Bool,
        _ body: (UInt64, Span<Element>, Span<Element>) -> Bool
    ) -> Bool {
        func id(_ place: Int) -> UInt64 { prefix << PageBits.perLevel | UInt64(new.bitmap.placeOfBit(place)) }
        if level == 0 {
            for place in old.elements.indices {
                if old.elements.isStoredAlike(place, in: new.elements, at: place) { continue }
                if isSame(old.elements.span[place], new.elements.span[place]) { continue }
                let range = place..<place + 1
                guard body(id(place), old.elements.span.extracting(range), new.elements.span.extracting(range)) else {
                    return false
                }
            }
            return true
        }
        for place in old.children.indices {
            if old.children.span[place].isIdentical(to: new.children.span[place]) { continue }
            guard
                forEachDifference(
                    old.children.span[place], new.children.span[place], prefix: id(place), level - 1, isSame, body)
            else { return false }
        }
        return true
    }
}

extension UInt32 {
    /// Where the bit stands before which so many are set.
    @inlinable
    func placeOfBit(_ count: Int) -> Int {
        var rest = self
        for _ in 0..<count { rest &= rest &- 1 }
        return rest.trailingZeroBitCount
    }
}
