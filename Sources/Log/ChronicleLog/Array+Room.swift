extension Array {
    /// Removes all elements; keeps the storage only if its capacity is at most `count`.
    @inlinable
    package mutating func empty(keepingAtMost count: Int) { removeAll(keepingCapacity: capacity <= count) }
}
