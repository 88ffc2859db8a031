extension PagedTable {
    /// Walks through what may differ from an older table, smallest id first, for as long as the body says true.
    ///
    /// Pages that both share are skipped, so the cost is that of the pages changed since. The body is given the id, the
    /// older element and this one's (`nil` where there is none), and also meets elements that are equal but stand in an unshared page.
    /// - Returns: Whether the walk came to its end.
    @inlinable
    @discardableResult
    public func forEachDifference(
        from old: PagedTable, _ body: (UInt64, Element?, Element?) -> Bool
    ) -> Bool {
        let top = Swift.max(height, old.height)
        return Node.forEachDifference(old.lifted(to: top), lifted(to: top), prefix: 0, top, body)
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
        _ old: Self, _ new: Self, prefix: UInt64, _ level: Int, _ body: (UInt64, Element?, Element?) -> Bool
    ) -> Bool {
        if old.isIdentical(to: new) { return true }
        var rest = old.bitmap | new.bitmap
        while rest != 0 {
            let id = prefix << 5 | UInt64(rest.trailingZeroBitCount)
            let bit = rest & (0 &- rest)
            let isOld = old.bitmap & bit != 0
            let isNew = new.bitmap & bit != 0
            if level == 0 {
                guard body(id, isOld ? old.elements[old.position(bit)] : nil, isNew ? new.elements[new.position(bit)] : nil)
                else { return false }
            } else {
                let oldChild = isOld ? old.children[old.position(bit)] : Self()
                let newChild = isNew ? new.children[new.position(bit)] : Self()
                guard forEachDifference(oldChild, newChild, prefix: id, level - 1, body) else { return false }
            }
            rest &= rest &- 1
        }
        return true
    }
}
