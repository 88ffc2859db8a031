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

    /// Makes a list view.
    public init(
        path: String, count: Int, elements: @escaping @Sendable (Range<Int>) -> [Value],
        find: (@Sendable (Int64) -> Value?)? = nil
    ) {
        self.path = path
        self.count = count
        self.elements = elements
        self.find = find
    }

    /// The same list, seen from one level further up.
    public func under(_ name: String) -> ListView {
        ListView(path: path.isEmpty ? name : name + "." + path, count: count, elements: elements, find: find)
    }
}
