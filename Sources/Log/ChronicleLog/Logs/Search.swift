/// Binary search for the first sequence where a monotonic condition holds; the last sequence + 1 if it never holds.
package func firstSequence(
    _ first: UInt64, through last: UInt64, where condition: (UInt64) throws(ActionLogError) -> Bool
) throws(ActionLogError) -> UInt64 {
    var low = first
    var high = last + 1
    while low < high {
        let middle = low + (high - low) / 2
        if try condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
