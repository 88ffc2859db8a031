extension OrderedTable: CustomReflectable, CustomStringConvertible {
    /// Shows the elements in order, for dumps and diffs.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }

    public var description: String { String(describing: elements) }

    /// All elements in order.
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
