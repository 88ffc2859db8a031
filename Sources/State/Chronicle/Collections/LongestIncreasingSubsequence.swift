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
