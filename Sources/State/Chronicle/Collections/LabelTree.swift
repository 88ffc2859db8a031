/// Maintains the order of IDs: a counted B+ tree of labels that maps index to label and back in logarithmic time.
///
/// Labels increase from the first to the last entry. There is usually a gap between two labels; if not, some neighbours are relabelled (see
/// `makeRoom`). Copies share unchanged nodes.
@usableFromInline struct LabelTree: Sendable {
    @usableFromInline struct Entry: Sendable, Equatable {
        @usableFromInline var label: UInt64
        @usableFromInline var id: UInt64

        @usableFromInline init(label: UInt64, id: UInt64) { (self.label, self.id) = (label, id) }
    }

    /// Distance of a new first or last entry from its neighbour: allows 32 bisections, and 2^31 entries in each direction.
    static let stride: UInt64 = 1 << 32
    var root = Node()

    @usableFromInline init() {}
    @usableFromInline var count: Int { root.count }
    @usableFromInline func entry(at index: Int) -> Entry { root.entry(at: index) }
    @usableFromInline func index(ofLabel label: UInt64) -> Int { root.index(ofLabel: label) }

    @usableFromInline @discardableResult func forEach(from index: Int, _ body: (Entry) -> Bool) -> Bool {
        var skipped = index
        return root.forEach(skipping: &skipped, body)
    }

    /// Inserts an entry at an index; its label must lie between its neighbours' labels.
    @usableFromInline mutating func insert(_ entry: Entry, at index: Int) {
        let isAtEdge = index == 0 || index == root.count
        guard let right = root.insert(entry, at: index, isAtEdge: isAtEdge) else { return }
        root = Node(children: [root, right])
    }

    @usableFromInline mutating func remove(label: UInt64) {
        root.remove(label: label)
        while root.children.count == 1 { root = root.children[0] }
    }

    /// Replaces the labels of consecutive entries; the order must not change.
    mutating func relabel(from index: Int, _ labels: [UInt64]) { root.relabel(labels[...], from: index) }

    /// Returns a label for a new entry at an index; nil if there is no gap between its neighbours' labels.
    @usableFromInline func label(at index: Int) -> UInt64? {
        guard count > 0 else { return 1 << 63 }
        if index == 0 {
            let next = root.firstLabel
            if next > Self.stride { return next - Self.stride }
            return next > 0 ? next / 2 : nil
        }
        let before = entry(at: index - 1).label
        let next = index < count ? entry(at: index).label : before + min(UInt64.max - before, 2 * Self.stride)
        return next - before > 1 ? before + (next - before) / 2 : nil
    }

    /// Relabels entries to make a gap for a new entry at an index; returns its label and the relabelled entries.
    ///
    /// Follows Dietz and Sleator, "Two algorithms for maintaining order in a list" (1987): starting at the previous entry, the first range
    /// that is sparse enough is spread evenly. The amortized number of relabelled entries per insertion is logarithmic. If there is no such
    /// range or no previous entry, all entries are spread over the whole label space.
    @usableFromInline mutating func makeRoom(at index: Int) -> (label: UInt64, moved: [Entry]) {
        if index > 0, let room = makeRoomNearby(at: index) { return room }
        let step = min(Self.stride, UInt64.max / UInt64(count + 2))
        let first = (1 << 63) - step * UInt64(count / 2 + 1)
        return spread(from: 0, count, first: first, step: step, sparing: index)
    }

    private mutating func makeRoomNearby(at index: Int) -> (label: UInt64, moved: [Entry])? {
        let base = entry(at: index - 1).label
        var entries: UInt64 = 0
        var width: UInt64 = 0
        let isRoomy = !forEach(from: index) { entry in
            entries += 1
            width = entry.label - base
            return width >> 10 <= entries * entries
        }
        guard isRoomy else { return nil }
        let step = width / (entries + 1)
        return spread(from: index, Int(entries) - 1, first: base + step, step: step, sparing: index)
    }

    private mutating func spread(
        from start: Int, _ length: Int, first: UInt64, step: UInt64, sparing index: Int
    ) -> (label: UInt64, moved: [Entry]) {
        var moved: [Entry] = []
        moved.reserveCapacity(length)
        var label = first
        let spared = first + step * UInt64(index - start)
        if length > 0 {
            forEach(from: start) { entry in
                if label == spared { label += step }
                moved.append(Entry(label: label, id: entry.id))
                label += step
                return moved.count < length
            }
        }
        relabel(from: start, moved.map(\.label))
        return (spared, moved)
    }

    /// A B+ tree node: a leaf stores entries, an inner node stores children; the other array is empty.
    struct Node: Sendable {
        // Nodes are read through spans, and recursive calls are marked as read-only: see `PagedTable.Node`.
        static let entriesMax = 64
        static let childrenMax = 32
        var entries: [Entry] = []
        var children: [Node] = []
        var count = 0
        /// The label of the first entry; 0 if the subtree is empty.
        var firstLabel: UInt64 = 0

        init() {}

        init(entries: [Entry]) {
            self.entries = entries
            refresh()
        }

        init(children: [Node]) {
            self.children = children
            refresh()
        }

        var isLeaf: Bool { children.isEmpty }

        mutating func refresh() {
            count = isLeaf ? entries.count : children.reduce(0) { $0 + $1.count }
            firstLabel = (isLeaf ? entries.first?.label : children.first?.firstLabel) ?? 0
        }

        @_effects(readonly) func entry(at index: Int) -> Entry {
            if isLeaf { return entries[index] }
            var index = index
            var child = 0
            let children = children.span
            while index >= children[child].count {
                index -= children[child].count
                child += 1
            }
            return children[child].entry(at: index)
        }

        @_effects(readonly) func index(ofLabel label: UInt64) -> Int {
            if isLeaf { return position(ofLabel: label) }
            let child = position(ofLabel: label)
            let children = children.span
            var before = 0
            for index in 0..<child { before += children[index].count }
            return before + children[child].index(ofLabel: label)
        }

        /// Returns the index of the last entry or child that begins at or before the label.
        func position(ofLabel label: UInt64) -> Int {
            let isLeaf = isLeaf
            let entries = entries.span
            let children = children.span
            var low = 0
            var high = isLeaf ? entries.count : children.count
            while high - low > 1 {
                let middle = (low + high) / 2
                if (isLeaf ? entries[middle].label : children[middle].firstLabel) <= label { low = middle } else { high = middle }
            }
            return low
        }

        func forEach(skipping skipped: inout Int, _ body: (Entry) -> Bool) -> Bool {
            if skipped >= count {
                skipped -= count
                return true
            }
            if isLeaf {
                for index in skipped..<entries.count {
                    guard body(entries[index]) else { return false }
                }
                skipped = 0
                return true
            }
            for child in children.indices {
                guard children.span[child].forEach(skipping: &skipped, body) else { return false }
            }
            return true
        }

        mutating func relabel(_ labels: ArraySlice<UInt64>, from index: Int) {
            // The part of the labels that falls into this node.
            let range = max(0, index)..<min(count, index + labels.count)
            guard !range.isEmpty else { return }
            if isLeaf {
                for place in range { entries[place].label = labels[labels.startIndex + place - index] }
            } else {
                var start = 0
                for child in children.indices {
                    let length = children[child].count
                    if start < range.upperBound, start + length > range.lowerBound {
                        children[child].relabel(labels, from: index - start)
                    }
                    start += length
                }
            }
            firstLabel = isLeaf ? entries[0].label : children[0].firstLabel
        }
    }
}

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
