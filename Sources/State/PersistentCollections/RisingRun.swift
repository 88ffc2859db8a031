/// Finds the longest rising run among the ids of one gap, by patience sorting.
@usableFromInline
struct RisingRun {
    /// Which gap: the number of anchors before it.
    @usableFromInline var anchors = 0
    private var ids: [UInt64] = []
    private var indices: [Int] = []
    /// For each id the one before it in the best run that ends with it.
    private var previous: [Int] = []
    /// For each length the id that ends the run of that length with the smallest index.
    private var ends: [Int] = []

    @usableFromInline
    init() {}

    /// Adds the next id of the gap, with its index in the older order.
    @usableFromInline
    mutating func append(_ id: UInt64, _ index: Int) {
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

    /// The ids of the gap that are not in its longest run; then begins with the next gap.
    @usableFromInline
    mutating func outsiders(nextAnchors: Int) -> [UInt64] {
        var isInside = Array(repeating: false, count: ids.count)
        var last = ends.last ?? -1
        while last >= 0 {
            isInside[last] = true
            last = previous[last]
        }
        let outsiders = ids.indices.filter { !isInside[$0] }.map { ids[$0] }
        self = RisingRun()
        anchors = nextAnchors
        return outsiders
    }
}
