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

    /// Returns the rows that were moved since an older table.
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

extension OrderedChange {
    @inlinable var isMove: Bool { if case .move = self { true } else { false } }
}
