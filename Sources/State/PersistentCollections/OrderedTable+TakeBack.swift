extension OrderedTable where Element: Equatable {
    /// Takes back what led from an older table to a newer one, and leaves what has changed otherwise.
    ///
    /// A row comes back behind the nearest that stood before it and is still there. The cost is that of the rows that differ.
    /// - Parameter merge: what a row becomes that has changed since: given what it is, what it was left as, and what it was before.
    /// - Returns: the rows that have changed since; they are put back all the same.
    @inlinable
    public mutating func takeBack(
        from after: OrderedTable, to before: OrderedTable, merge: (Element, Element, Element) -> Element
    ) -> [RowConflict<Element>] {
        if after.isIdentical(to: before) || isIdentical(to: before) { return [] }
        if isIdentical(to: after) {
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
                if found != left { conflicts.append(.contents(id: id, expected: left, found: found)) }
                remove(id)

            case .insert(let id, _, let element):
                guard let found = self[id] else {
                    insert(element, id: id, at: place(of: id, in: before))
                    continue
                }
                guard found != element else { continue }
                conflicts.append(.contents(id: id, expected: nil, found: found))
                update(id) { $0 = element }

            case .move(let id, _, _):
                guard let left = after[id] else { continue }
                // Of a row that was changed as well, the change tells.
                if self[id] != left, before[id] == left {
                    conflicts.append(.contents(id: id, expected: left, found: self[id]))
                }
                if movedSince.contains(id), let expected = after.index(of: id), let found = index(of: id) {
                    conflicts.append(.place(id: id, expected: expected, found: found))
                }
                guard let element = remove(id) else { continue }
                insert(element, id: id, at: place(of: id, in: before))

            case .replace(let id, _, let left, let element):
                let found = self[id]
                if found == element { continue }
                if found != left { conflicts.append(.contents(id: id, expected: left, found: found)) }
                update(id) { $0 = $0 == left ? element : merge($0, left, element) }
            }
        }
        return conflicts
    }

    /// The rows that were moved since an older table.
    @inlinable
    func movedIDs(since old: OrderedTable) -> Set<UInt64> {
        Set((changes(from: old) ?? []).compactMap { if case .move(let id, _, _) = $0 { id } else { nil } })
    }

    /// Where a row belongs that isn't there, to stand as it stands in another table.
    @inlinable
    func place(of id: UInt64, in other: OrderedTable) -> Int {
        guard var index = other.index(of: id) else { return count }
        while index > 0 {
            index -= 1
            if let neighbour = other.id(at: index), let place = self.index(of: neighbour) { return place + 1 }
        }
        return 0
    }
}

extension OrderedChange {
    @inlinable var isMove: Bool { if case .move = self { true } else { false } }
}
