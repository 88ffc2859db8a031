/// A list of a state, read page by page so that nobody ever holds all of it as values.
public struct ListView: Sendable {
    /// Where it stands: `todos.items`.
    public var path: String
    /// How many elements it has.
    public var count: Int
    /// The elements of a range within `0..<count`.
    public var elements: @Sendable (Range<Int>) -> [Value]
    /// The element of an id; `nil` where the list offers no way to it but through all elements.
    public var find: (@Sendable (Int64) -> Value?)?
    /// How to read only some fields of the elements, by their names; `nil` where they are read as a whole.
    public var selecting: (@Sendable ([String]) -> ListColumns)?

    public init(
        path: String, count: Int, elements: @escaping @Sendable (Range<Int>) -> [Value],
        find: (@Sendable (Int64) -> Value?)? = nil,
        selecting: (@Sendable ([String]) -> ListColumns)? = nil
    ) {
        self.path = path
        self.count = count
        self.elements = elements
        self.find = find
        self.selecting = selecting
    }

    /// The same list, seen from one level further up.
    public func under(_ name: String) -> ListView {
        ListView(
            path: path.isEmpty ? name : name + "." + path, count: count, elements: elements, find: find, selecting: selecting)
    }
}

extension ListView {
    /// The element of an id, found through all elements where the list offers no other way.
    public func element(ofID id: Int64) -> Value? {
        if let find { return find(id) }
        return elements(0..<count).first { $0["id"] == .int(id) }
    }

    /// Some fields of the elements, for who looks at many and wants few.
    public func columns(_ names: [String]) -> ListColumns {
        if let selecting { return selecting(names) }
        return ListColumns(names: names, of: elements)
    }
}
