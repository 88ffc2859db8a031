extension Array {
    /// Drops all elements, and the room for them if it is for more than so many.
    @inlinable
    package mutating func empty(keepingAtMost count: Int) { removeAll(keepingCapacity: capacity <= count) }
}
