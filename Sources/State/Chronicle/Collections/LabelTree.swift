/// Maintains the order of IDs: a counted B+ tree of labels that maps index to label and back in logarithmic time.
///
/// Labels increase from the first to the last entry. There is usually a gap between two labels; if not, some neighbours are relabelled (see
/// `makeRoom`). Copies share unchanged nodes.
@usableFromInline struct LabelTree: Sendable {
    @usableFromInline struct Entry: Sendable, Equatable {
        @usableFromInline var label: UInt64
        @usableFromInline var id: UInt64

        @usableFromInline init(label: UInt64, id: UInt64) {
            self.label = label
            self.id = id
        }
    }

    /// Distance of a new first or last entry from its neighbour: allows 32 bisections, and 2^31 entries in each direction.
    static let stride: UInt64 = 1 << 32

    var root = Node()

    @usableFromInline init() {}

    @usableFromInline var count: Int { root.count }

    /// - Precondition: `index` is within `0..<count`.
    @usableFromInline func entry(at index: Int) -> Entry { root.entry(at: index) }

    /// Returns the index of an existing label.
    @usableFromInline func index(ofLabel label: UInt64) -> Int { root.index(ofLabel: label) }

    /// Iterates over the entries from an index on until the body returns false.
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
}
