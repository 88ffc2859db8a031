extension OrderedTable: CustomReflectable, CustomStringConvertible {
    /// The elements in their order, for dumps and diffs of them.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
    }

    /// The elements in their order.
    public var description: String { String(describing: elements) }

    /// All elements in their order, as an array.
    public var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        forEach { _, element in
            elements.append(element)
            return true
        }
        return elements
    }
}
