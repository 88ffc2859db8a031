/// The order of ids: a B+ tree by label that counts, so that a place and a label lead to each other in logarithmic time.
///
/// Labels only grow from the first entry to the last; between two there is nearly always room for one more. Where there is
/// none, a few labels nearby are dealt out anew (see `makeRoom`). Copies share their unchanged parts.
@usableFromInline
struct LabelTree: Sendable {
    /// One id at its place.
    @usableFromInline
    struct Entry: Sendable, Equatable {
        @usableFromInline var label: UInt64
        @usableFromInline var id: UInt64

        @usableFromInline
        init(label: UInt64, id: UInt64) {
            self.label = label
            self.id = id
        }
    }

    /// How far a new first or last entry stands from the one beside it: room for 32 halvings, and for 2^31 entries each way.
    static let stride: UInt64 = 1 << 32

    var root = Node()

    @usableFromInline
    init() {}

    @usableFromInline var count: Int { root.count }

    /// The entry at a place within `0..<count`.
    @usableFromInline
    func entry(at index: Int) -> Entry { root.entry(at: index) }

    /// The place of a label that is there.
    @usableFromInline
    func index(ofLabel label: UInt64) -> Int { root.index(ofLabel: label) }

    /// Walks through the entries from a place on, for as long as the body says true.
    @usableFromInline
    @discardableResult
    func forEach(from index: Int, _ body: (Entry) -> Bool) -> Bool {
        var skipped = index
        return root.forEach(skipping: &skipped, body)
    }

    /// Puts an entry at a place; its label lies between its neighbours'.
    @usableFromInline
    mutating func insert(_ entry: Entry, at index: Int) {
        let isAtEdge = index == 0 || index == root.count
        guard let right = root.insert(entry, at: index, isAtEdge: isAtEdge) else { return }
        root = Node(children: [root, right])
    }

    /// Takes out the entry of a label that is there.
    @usableFromInline
    mutating func remove(label: UInt64) {
        root.remove(label: label)
        while root.children.count == 1 { root = root.children[0] }
    }

    /// Gives the entries of a range of places new labels, which keep their order.
    mutating func relabel(from index: Int, _ labels: [UInt64]) {
        root.relabel(labels[...], from: index)
    }
}
