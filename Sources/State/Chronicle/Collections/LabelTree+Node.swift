extension LabelTree {
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
