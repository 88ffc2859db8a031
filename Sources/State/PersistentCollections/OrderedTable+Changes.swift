extension OrderedTable where Element: Equatable {
    /// What changed since an older table, in an order in which it can be applied; `nil` when that is more than `limit` changes.
    ///
    /// First what left, from the back; then what came or moved, from the front; then what has other contents. An
    /// element that moved and changed is in it twice. As few elements move as possible. The cost is that of the pages changed since.
    @inlinable
    public func changes(from old: OrderedTable, limit: Int = .max) -> [OrderedChange<Element>]? {
        changes(from: old, limit: limit, isSame: ==)
    }
}

extension OrderedTable {
    /// The same where elements that a condition says are the same have not changed.
    @inlinable
    public func changes(
        from old: OrderedTable, limit: Int, isSame: (Element, Element) -> Bool
    ) -> [OrderedChange<Element>]? {
        if isIdentical(to: old) { return [] }
        guard let rowChanges = RowChanges(from: old, to: self, limit: limit, isSame: isSame) else { return nil }
        let moved = rowChanges.moved(from: old, to: self)
        let total = rowChanges.removed.count + rowChanges.inserted.count + rowChanges.replaced.count + moved.count
        guard total <= limit else { return nil }

        // Each step is taken on a copy, so its places are true whatever the other steps do.
        var current = old
        var changes: [OrderedChange<Element>] = []
        changes.reserveCapacity(total)
        for id in rowChanges.removed.sortedByIndex(in: old).reversed() {
            guard let index = current.index(of: id), let element = current.remove(id) else { continue }
            changes.append(.remove(id: id, index: index, element))
        }
        for id in (rowChanges.inserted + moved).sortedByIndex(in: self) {
            guard let place = index(of: id), let element = self[id] else { continue }
            let from = current.index(of: id)
            let displaced = current.remove(id)
            // Everything before it in the new order is where it belongs already.
            let to = place == 0 ? 0 : self.id(at: place - 1).flatMap { current.index(of: $0) }.map { $0 + 1 } ?? 0
            current.insert(displaced ?? element, id: id, at: to)
            if let from {
                changes.append(.move(id: id, from: from, to: to))
            } else {
                changes.append(.insert(id: id, index: to, element))
            }
        }
        for id in rowChanges.replaced {
            guard let index = index(of: id), let before = old[id], let after = self[id] else { continue }
            changes.append(.replace(id: id, index: index, old: before, new: after))
        }
        return changes
    }
}

extension OrderedTable {
    /// Walks through the elements that an older table has otherwise, or has not, or has alone, smallest id first, whatever their places.
    ///
    /// It goes on for as long as the body says true, and gives whether it came to its end. The cost is that of the pages changed since.
    /// - Parameters:
    ///   - shown: what the body is told of an element.
    ///   - isSame: whether an element is as it was; one that only moved may be stored in another way.
    @inlinable
    @discardableResult
    public func forEachDifference<Shown>(
        from old: OrderedTable, of shown: (Element) -> Shown, isSame: (Element, Element) -> Bool, _ body: (Shown?, Shown?) -> Bool
    ) -> Bool {
        if isIdentical(to: old) { return true }
        return rows.forEachDifference(from: old.rows, isSame: { isSame($0.element, $1.element) }) { _, before, after in
            body(before.isEmpty ? nil : shown(before[0].element), after.isEmpty ? nil : shown(after[0].element))
        }
    }
}

extension OrderedTable: Equatable where Element: Equatable {
    /// Compares elements, ids and order, skipping what both share.
    @inlinable
    public static func == (left: OrderedTable, right: OrderedTable) -> Bool {
        left.count == right.count && left.changes(from: right, limit: 0) != nil
    }
}

/// The ids whose rows differ between two tables.
@usableFromInline
struct RowChanges {
    @usableFromInline var removed: [UInt64] = []
    @usableFromInline var inserted: [UInt64] = []
    @usableFromInline var replaced: [UInt64] = []
    /// In both, under another label: moved, or only given room.
    @usableFromInline var relabelled: [UInt64] = []

    /// Finds them; `nil` when more than `limit` elements came, left or changed.
    @inlinable
    init?<Element>(
        from old: OrderedTable<Element>, to new: OrderedTable<Element>, limit: Int, isSame: (Element, Element) -> Bool
    ) {
        let isComplete = new.rows.forEachDifference(
            from: old.rows, isSame: { $0.label == $1.label && isSame($0.element, $1.element) },
            { id, before, after in
                if before.isEmpty {
                    inserted.append(id)
                } else if after.isEmpty {
                    removed.append(id)
                } else {
                    if before[0].label != after[0].label { relabelled.append(id) }
                    if !isSame(before[0].element, after[0].element) { replaced.append(id) }
                }
                return removed.count + inserted.count + replaced.count <= limit
            })
        guard isComplete else { return nil }
    }

    /// The smallest set of relabelled ids that have to move for the rest to be in order.
    ///
    /// Ids with an unchanged label are in the same order in both. Of the others, those stay that have the same number of these
    /// before them in both, and among them a longest run that rises.
    @inlinable
    func moved<Element>(from old: OrderedTable<Element>, to new: OrderedTable<Element>) -> [UInt64] {
        if relabelled.isEmpty { return [] }
        let before = (relabelled + removed).ranked(in: old)
        let after = (relabelled + inserted).ranked(in: new)
        var oldRanks: [UInt64: (anchors: Int, index: Int)] = [:]
        for rank in before { oldRanks[rank.id] = (rank.anchors, rank.index) }

        var moved: [UInt64] = []
        var run = RisingRun()
        for rank in after {
            guard let oldRank = oldRanks[rank.id] else { continue }
            if rank.anchors != run.anchors { moved += run.outsiders(nextAnchors: rank.anchors) }
            if oldRank.anchors == rank.anchors {
                run.append(rank.id, oldRank.index)
            } else {
                moved.append(rank.id)
            }
        }
        return moved + run.outsiders(nextAnchors: 0)
    }
}

extension [UInt64] {
    @inlinable
    func sortedByIndex<Row>(in table: OrderedTable<Row>) -> [UInt64] {
        count < 2 ? self : map { (table.index(of: $0) ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The ids by their place, each with the number of elements before it that are not among them.
    @inlinable
    func ranked<Row>(in table: OrderedTable<Row>) -> [(id: UInt64, anchors: Int, index: Int)] {
        let places = map { (table.index(of: $0) ?? 0, $0) }.sorted { $0.0 < $1.0 }
        return places.enumerated().map { (id: $1.1, anchors: $1.0 - $0, index: $1.0) }
    }
}
