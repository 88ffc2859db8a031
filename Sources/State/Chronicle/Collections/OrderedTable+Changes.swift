/// A step of a diff between two ordered tables.
public enum OrderedChange<Element: Sendable>: Sendable {
    case remove(id: UInt64, index: Int, Element)
    case insert(id: UInt64, index: Int, Element)
    /// An element was removed from one index and then inserted at another.
    case move(id: UInt64, from: Int, to: Int)
    case replace(id: UInt64, index: Int, old: Element, new: Element)

    @inlinable var isMove: Bool { if case .move = self { true } else { false } }
}

extension OrderedChange: Equatable where Element: Equatable {}

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
            if oldRank.anchors == rank.anchors { run.append(rank.id, oldRank.index) } else { moved.append(rank.id) }
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

/// Finds the longest increasing subsequence of the IDs between two anchors, by patience sorting.
@usableFromInline struct LongestIncreasingSubsequence {
    @usableFromInline var anchors = 0
    private var ids: [UInt64] = []
    private var indices: [Int] = []
    /// For each ID, its predecessor in the longest subsequence that ends with it.
    private var previous: [Int] = []
    /// For each length, the ID with the smallest index that ends a subsequence of that length.
    private var ends: [Int] = []

    @usableFromInline init() {}

    /// Appends the next ID with its index in the older order.
    @usableFromInline mutating func append(_ id: UInt64, _ index: Int) {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if indices[ends[middle]] < index { low = middle + 1 } else { high = middle }
        }
        previous.append(low > 0 ? ends[low - 1] : -1)
        if low < ends.count { ends[low] = ids.count } else { ends.append(ids.count) }
        ids.append(id)
        indices.append(index)
    }

    /// Returns the IDs outside the longest subsequence and resets the state for the next gap between anchors.
    @usableFromInline mutating func complement(nextAnchors: Int) -> [UInt64] {
        var isInside = Array(repeating: false, count: ids.count)
        var last = ends.last ?? -1
        while last >= 0 {
            isInside[last] = true
            last = previous[last]
        }
        let complement = ids.indices.filter { !isInside[$0] }.map { ids[$0] }
        self = LongestIncreasingSubsequence()
        anchors = nextAnchors
        return complement
    }
}

extension OrderedTable where Element: Equatable {
    /// Reverts the change from an older table to a newer one in this table; all other changes stay (a three-way merge).
    ///
    /// A row that is inserted again follows the nearest row that preceded it and is still there. The cost is that of the rows that differ.
    /// - Parameter merge: merges a row that has changed since: given the present row, the row after the change, and the row before it.
    /// - Returns: the rows that have changed since. They are reverted or merged nevertheless; a row that has been removed stays removed.
    /// - Parameter mergesAll: whether a row that has not changed since is merged, too.
    @inlinable mutating func revert(
        from after: OrderedTable, to before: OrderedTable, mergesAll: Bool = false, merge: (Element, Element, Element) -> Element
    ) -> [RowConflict<Element>] {
        if after.isIdentical(to: before) || !mergesAll && isIdentical(to: before) { return [] }
        if !mergesAll, isIdentical(to: after) {
            self = before
            return []
        }
        let changes = before.changes(from: after) ?? []
        let movedSince = changes.contains { $0.isMove } ? movedIDs(since: after) : []
        var conflicts: [RowConflict<Element>] = []
        for change in changes {
            switch change {
            case .remove(let id, _, let left):
                guard let found = self[id] else { continue }
                if found != left { conflicts.append(.contents(id: id, before: nil, after: left, found: found)) }
                remove(id)
            case .insert(let id, _, let element):
                guard let found = self[id] else {
                    insert(element, id: id, at: insertionIndex(of: id, in: before))
                    continue
                }
                guard found != element else { continue }
                conflicts.append(.contents(id: id, before: element, after: nil, found: found))
                update(id) { $0 = element }
            case .move(let id, _, _):
                // If the row's contents were also reverted, that it is missing is reported already.
                if self[id] == nil, let left = after[id], before[id] == left {
                    conflicts.append(.contents(id: id, before: left, after: left, found: nil))
                }
                if movedSince.contains(id), let expected = after.index(of: id), let found = index(of: id) {
                    conflicts.append(.place(id: id, expected: expected, found: found))
                }
                guard let element = remove(id) else { continue }
                insert(element, id: id, at: insertionIndex(of: id, in: before))
            case .replace(let id, _, let left, let element):
                let found = self[id]
                if !mergesAll, found == element { continue }
                if found != left { conflicts.append(.contents(id: id, before: element, after: left, found: found)) }
                update(id) { $0 = !mergesAll && $0 == left ? element : merge($0, left, element) }
            }
        }
        return conflicts
    }

    @inlinable func movedIDs(since old: OrderedTable) -> Set<UInt64> {
        Set((changes(from: old) ?? []).compactMap { if case .move(let id, _, _) = $0 { id } else { nil } })
    }

    /// Returns the index at which a missing row must be inserted to match its position in another table.
    @inlinable func insertionIndex(of id: UInt64, in other: OrderedTable) -> Int {
        guard var index = other.index(of: id) else { return count }
        while index > 0 {
            index -= 1
            if let neighbour = other.id(at: index), let position = self.index(of: neighbour) { return position + 1 }
        }
        return 0
    }
}

/// A row of an `OrderedTable` that has changed since the change that is reverted; the caller decides whether its fields conflict.
@usableFromInline enum RowConflict<Element: Sendable>: Sendable {
    /// The contents before and after the change that is reverted, and the present ones; nil for a missing row.
    case contents(id: UInt64, before: Element?, after: Element?, found: Element?)
    /// The row was moved away from its expected index.
    case place(id: UInt64, expected: Int, found: Int)
}

extension RowConflict: Equatable where Element: Equatable {}
