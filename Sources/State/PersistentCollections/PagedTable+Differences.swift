extension PagedTable {
    /// Walks through what differs from an older table, smallest id first, for as long as the body says true.
    ///
    /// Pages that both share are skipped, so the cost is that of the pages changed since. The body is given the id, the
    /// older element and this one's (`nil` where there is none).
    /// - Returns: Whether the walk came to its end.
    @inlinable
    @discardableResult
    public func forEachDifference(
        from old: PagedTable, isSame: (Element, Element) -> Bool, _ body: (UInt64, Element?, Element?) -> Bool
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
        _ body: (UInt64, Element?, Element?) -> Bool
    ) -> Bool {
        if old.isIdentical(to: new) { return true }
        var rest = old.bitmap | new.bitmap
        while rest != 0 {
            let id = prefix << PageBits.perLevel | UInt64(rest.trailingZeroBitCount)
            let bit = rest & (0 &- rest)
            rest &= rest &- 1
            let isOld = old.bitmap & bit != 0
            let isNew = new.bitmap & bit != 0
            let oldAt = old.position(bit)
            let newAt = new.position(bit)
            // Compared where they stand: nearly all are the same, and lending one out costs more than the comparison.
            if level == 0 {
                if isOld, isNew, isSame(old.elements.span[oldAt], new.elements.span[newAt]) { continue }
                guard body(id, isOld ? old.elements[oldAt] : nil, isNew ? new.elements[newAt] : nil) else { return false }
            } else {
                if isOld, isNew, old.children.span[oldAt].isIdentical(to: new.children.span[newAt]) { continue }
                // Lent where they stand, too: a copy of a page costs more than the comparison of what is on it.
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
}
