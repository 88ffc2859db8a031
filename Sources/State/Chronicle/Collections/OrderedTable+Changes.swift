extension OrderedTable where Element: Equatable {
    /// Returns the diff from an older table as steps that can be applied in order; nil if it has more than `limit` steps.
    ///
    /// Removals come first, from the end, then insertions and moves from the start, then replacements. An element that was moved and
    /// changed occurs twice. The number of moves is minimal. The cost is proportional to the number of changed pages.
    @inlinable public func changes(from old: OrderedTable, limit: Int = .max) -> [OrderedChange<Element>]? {
        changes(from: old, limit: limit, isSame: ==)
    }
}

extension OrderedTable {
    /// Returns the diff from an older table, with a custom comparison of elements.
    @inlinable
    public func changes(from old: OrderedTable, limit: Int, isSame: (Element, Element) -> Bool) -> [OrderedChange<Element>]? {
        if isIdentical(to: old) { return [] }
        guard let rowChanges = RowChanges(from: old, to: self, limit: limit, isSame: isSame) else { return nil }
        let moved = rowChanges.moved(from: old, to: self)
        let total = rowChanges.removed.count + rowChanges.inserted.count + rowChanges.replaced.count + moved.count
        guard total <= limit else { return nil }

        // Each step is applied to a copy, so that its indices are valid after the previous steps.
        var current = old
        var changes: [OrderedChange<Element>] = []
        changes.reserveCapacity(total)
        for id in rowChanges.removed.sortedByIndex(in: old).reversed() {
            guard let index = current.index(of: id), let element = current.remove(id) else { continue }
            changes.append(.remove(id: id, index: index, element))
        }
        for id in (rowChanges.inserted + moved).sortedByIndex(in: self) {
            guard let position = index(of: id), let element = self[id] else { continue }
            let from = current.index(of: id)
            let displaced = current.remove(id)
            // All earlier elements of the new order are already in place.
            let to = position == 0 ? 0 : self.id(at: position - 1).flatMap { current.index(of: $0) }.map { $0 + 1 } ?? 0
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
    /// Iterates over the elements that were added, removed or changed since an older table, by ascending ID; the order is ignored.
    ///
    /// Stops when the body returns false, and returns whether it completed. The cost is proportional to the number of changed pages.
    /// - Parameters:
    ///   - shown: maps an element to the value that is passed to the body.
    ///   - isSame: compares elements; an element that was only moved may be stored differently.
    @inlinable @discardableResult public func forEachDifference<Shown>(
        from old: OrderedTable, of shown: (Element) -> Shown, isSame: (Element, Element) -> Bool, _ body: (Shown?, Shown?) -> Bool
    ) -> Bool {
        if isIdentical(to: old) { return true }
        return rows.forEachDifference(from: old.rows, isSame: { isSame($0.element, $1.element) }) { _, before, after in
            body(before.isEmpty ? nil : shown(before[0].element), after.isEmpty ? nil : shown(after[0].element))
        }
    }
}

extension OrderedTable: Equatable where Element: Equatable {
    /// Compares elements, IDs and order; shared pages are skipped.
    @inlinable public static func == (left: OrderedTable, right: OrderedTable) -> Bool {
        left.count == right.count && left.changes(from: right, limit: 0) != nil
    }
}

@usableFromInline struct RowChanges {
    @usableFromInline var removed: [UInt64] = []
    @usableFromInline var inserted: [UInt64] = []
    @usableFromInline var replaced: [UInt64] = []
    /// Present in both with different labels: moved or only relabelled.
    @usableFromInline var relabelled: [UInt64] = []

    /// Returns nil if more than `limit` elements were added, removed or changed.
    @inlinable init?<Element>(
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

    /// Returns the smallest set of relabelled IDs that must move.
    ///
    /// IDs with unchanged labels (anchors) have the same order in both tables. A relabelled ID can stay if it has the same number of
    /// anchors before it in both tables and belongs to a longest increasing subsequence among those.
    @inlinable func moved<Element>(from old: OrderedTable<Element>, to new: OrderedTable<Element>) -> [UInt64] {
        if relabelled.isEmpty { return [] }
        let before = (relabelled + removed).ranked(in: old)
        let after = (relabelled + inserted).ranked(in: new)
        var oldRanks: [UInt64: (anchors: Int, index: Int)] = [:]
        for rank in before { oldRanks[rank.id] = (rank.anchors, rank.index) }

        var moved: [UInt64] = []
        var run = LongestIncreasingSubsequence()
        for rank in after {
            guard let oldRank = oldRanks[rank.id] else { continue }
            if rank.anchors != run.anchors { moved += run.complement(nextAnchors: rank.anchors) }
            if oldRank.anchors == rank.anchors {
                run.append(rank.id, oldRank.index)
            } else {
                moved.append(rank.id)
            }
        }
        return moved + run.complement(nextAnchors: 0)
    }
}

extension [UInt64] {
    @inlinable func sortedByIndex<Row>(in table: OrderedTable<Row>) -> [UInt64] {
        count < 2 ? self : map { (table.index(of: $0) ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Sorts the IDs by index and adds the number of preceding elements that are not among them.
    @inlinable func ranked<Row>(in table: OrderedTable<Row>) -> [(id: UInt64, anchors: Int, index: Int)] {
        let indices = map { (table.index(of: $0) ?? 0, $0) }.sorted { $0.0 < $1.0 }
        return indices.enumerated().map { (id: $1.1, anchors: $1.0 - $0, index: $1.0) }
    }
}
