/// The first sequence from one on for which a condition holds that, once true, stays true; the one behind the last if none.
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
