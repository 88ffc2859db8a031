extension LabelTree.Node {
    /// Inserts an entry at an index; returns the new right sibling if the node was split.
    ///
    /// At either end of the list a full node stays full and a new node begins, so that append-only lists are stored densely.
    mutating func insert(_ entry: LabelTree.Entry, at index: Int, isAtEdge: Bool) -> LabelTree.Node? {
        isLeaf ? insertEntry(entry, at: index, isAtEdge: isAtEdge) : insertBelow(entry, at: index, isAtEdge: isAtEdge)
    }

    private mutating func insertEntry(_ entry: LabelTree.Entry, at index: Int, isAtEdge: Bool) -> LabelTree.Node? {
        if entries.count < Self.entriesMax {
            entries.insert(entry, at: index)
            count += 1
            firstLabel = entries[0].label
            return nil
        }
        if isAtEdge, index == entries.count { return Self(entries: [entry]) }
        if isAtEdge, index == 0 {
            let right = self
            self = Self(entries: [entry])
            return right
        }
        let half = Self.entriesMax / 2
        var right = Self(entries: Array(entries[half...]))
        entries.removeSubrange(half...)
        if index <= half { entries.insert(entry, at: index) } else { right.entries.insert(entry, at: index - half) }
        refresh()
        right.refresh()
        return right
    }

    private mutating func insertBelow(_ entry: LabelTree.Entry, at index: Int, isAtEdge: Bool) -> LabelTree.Node? {
        var place = index
        var child = 0
        while child < children.count - 1, place > children[child].count {
            place -= children[child].count
            child += 1
        }
        let split = children[child].insert(entry, at: place, isAtEdge: isAtEdge)
        count += 1
        firstLabel = children[0].firstLabel
        guard let split else { return nil }
        children.insert(split, at: child + 1)
        guard children.count > Self.childrenMax else { return nil }
        let cut = isAtEdge ? (index == 0 ? 1 : children.count - 1) : children.count / 2
        let right = Self(children: Array(children[cut...]))
        children.removeSubrange(cut...)
        refresh()
        return right
    }

    mutating func remove(label: UInt64) {
        let position = position(ofLabel: label)
        if isLeaf {
            entries.remove(at: position)
        } else {
            children[position].remove(label: label)
            rebalance(position)
        }
        count -= 1
        firstLabel = (isLeaf ? entries.first?.label : children.first?.firstLabel) ?? 0
    }

    private mutating func rebalance(_ position: Int) {
        if children[position].count == 0 {
            children.remove(at: position)
            return
        }
        guard children[position].isSmall else { return }
        for left in [position - 1, position] where left >= 0 && left + 1 < children.count {
            guard children[left].hasRoom(for: children[left + 1]) else { continue }
            let right = children.remove(at: left + 1)
            children[left].entries += right.entries
            children[left].children += right.children
            children[left].count += right.count
            return
        }
    }

    private var isSmall: Bool { isLeaf ? entries.count < Self.entriesMax / 4 : children.count < Self.childrenMax / 4 }

    // A quarter stays free, so that the next insertion does not split the merged node again.
    private func hasRoom(for other: Self) -> Bool {
        entries.count + other.entries.count <= Self.entriesMax * 3 / 4
            && children.count + other.children.count <= Self.childrenMax * 3 / 4
    }
}
