/// Elements by id in an order of their own, whose copies share their unchanged parts.
///
/// Finding by id or by place, inserting anywhere, moving and removing take logarithmic time, also while a copy is kept. Two
/// tables are equal when they have the same elements under the same ids in the same order.
public struct OrderedTable<Element: Sendable>: Sendable {
    /// An element, and the label that says where it stands.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline var label: UInt64
        @usableFromInline var element: Element

        @inlinable
        init(label: UInt64, element: Element) {
            self.label = label
            self.element = element
        }
    }

    // The order follows from the labels in the rows, so tables with identical rows are identical.
    @usableFromInline var rows = PagedTable<Row>()
    @usableFromInline var order = LabelTree()

    @inlinable
    public init() {}

    /// How many elements there are.
    @inlinable public var count: Int { rows.count }

    @inlinable public var isEmpty: Bool { rows.isEmpty }

    /// The element of an id.
    @inlinable
    public subscript(id: UInt64) -> Element? { rows.read(id) { $0.element } }

    /// Whether there is an element of that id.
    @inlinable
    public func contains(_ id: UInt64) -> Bool { rows.contains(id) }

    /// The id at a place, or `nil` where there is none.
    @inlinable
    public func id(at index: Int) -> UInt64? {
        index >= 0 && index < count ? order.entry(at: index).id : nil
    }

    /// The place of an id, or `nil` if it isn't there.
    @inlinable
    public func index(of id: UInt64) -> Int? {
        rows.read(id) { $0.label }.map { order.index(ofLabel: $0) }
    }

    /// Looks at an element without copying it; `nil` if there is none.
    @inlinable
    public func read<Result>(_ id: UInt64, _ body: (Element) -> Result) -> Result? {
        rows.read(id) { body($0.element) }
    }

    /// Changes an element in place; answers `nil`, and changes nothing, if there is none.
    @inlinable
    @discardableResult
    public mutating func update<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result? {
        rows.update(id) { body(&$0.element) }
    }

    /// Changes an element in place if it is there and as the condition says; answers whether it was.
    @inlinable
    @discardableResult
    public mutating func update(_ id: UInt64, where condition: (Element) -> Bool, _ body: (inout Element) -> Void) -> Bool {
        guard rows.read(id, { condition($0.element) }) == true else { return false }
        rows.updatePresent(id) { body(&$0.element) }
        return true
    }

    /// Puts a new element at a place (the nearest there is); answers false, and changes nothing, if its id is there already.
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element, id: UInt64, at index: Int) -> Bool {
        guard !rows.contains(id) else { return false }
        let index = Swift.min(Swift.max(index, 0), count)
        let label = makeLabel(at: index)
        rows.set(Row(label: label, element: element), for: id)
        order.insert(LabelTree.Entry(label: label, id: id), at: index)
        return true
    }

    /// Puts a new element behind all others; answers false, and changes nothing, if its id is there already.
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element, id: UInt64) -> Bool { insert(element, id: id, at: count) }

    /// Takes an element out.
    @inlinable
    @discardableResult
    public mutating func remove(_ id: UInt64) -> Element? {
        guard let row = rows.remove(id) else { return nil }
        order.remove(label: row.label)
        return row.element
    }

    /// Moves an element so that it then stands at a place (the nearest there is); answers false if there is none of that id.
    @inlinable
    @discardableResult
    public mutating func move(_ id: UInt64, to index: Int) -> Bool {
        guard let old = rows.read(id, { $0.label }) else { return false }
        let index = Swift.min(Swift.max(index, 0), count - 1)
        // A move to where it stands shall leave the table identical.
        guard order.entry(at: index).id != id else { return true }
        order.remove(label: old)
        let label = makeLabel(at: index)
        order.insert(LabelTree.Entry(label: label, id: id), at: index)
        rows.updatePresent(id) { $0.label = label }
        return true
    }

    /// Walks through the elements from a place on in their order, for as long as the body says true.
    @inlinable
    public func forEach(from index: Int = 0, _ body: (UInt64, Element) -> Bool) {
        forEachInPlace(from: index) { body($0, $1.pointee) }
    }

    /// Walks through the elements in the same way, without taking hold of them: each stands where the pointer points for as long as the body
    /// runs.
    @inlinable
    public func forEachInPlace(from index: Int, _ body: (UInt64, UnsafePointer<Element>) -> Bool) {
        forEachPlace(from: index) { id, page, position in page.withRow(at: position) { body(id, $0) } }
    }

    /// Walks through the elements in the same way; of one that by its mark is not wanted the body is shown nothing.
    ///
    /// - Parameters:
    ///   - marks: those that were made before.
    ///   - mark: makes one.
    ///   - isWanted: whether the body is to be shown an element with a mark.
    @inlinable
    public func forEachInPlace<Mark>(
        from index: Int, _ marks: inout Marks<Mark>, _ mark: (Element) -> Mark, where isWanted: (Mark) -> Bool,
        _ body: (UInt64, UnsafePointer<Element>?) -> Bool
    ) {
        var marked = Marks<Mark>.Page()
        forEachPlace(from: index) { id, page, position in
            if !marked.isOf(page.node) { marked = marks.page(page, mark) }
            guard isWanted(marked.marks.span[position]) else { return body(id, nil) }
            return page.withRow(at: position) { body(id, $0) }
        }
        marks.forgetAll(ifAbove: count)
    }

    @inlinable
    func forEachPlace(from index: Int, _ body: (UInt64, PagedTable<Row>.Page, Int) -> Bool) {
        var page = rows.page(of: 0)
        order.forEach(from: Swift.max(index, 0)) { entry in
            // Neighbours in the list are so by id as well, mostly.
            if !page.isOf(entry.id) { page = rows.page(of: entry.id) }
            guard let position = page.position(of: entry.id) else { return true }
            return body(entry.id, page, position)
        }
    }

    /// Walks through the elements by id, smallest first, for as long as the body says true: faster than in their order.
    @inlinable
    public func forEachByID(_ body: (UInt64, Element) -> Bool) {
        rows.forEach { body($0, $1.element) }
    }

    /// Whether both are the same stored table, in constant time; tables that are not may still be equal.
    @inlinable
    public func isIdentical(to other: OrderedTable) -> Bool { rows.isIdentical(to: other.rows) }

    @inlinable
    mutating func makeLabel(at index: Int) -> UInt64 {
        if let label = order.label(at: index) { return label }
        let room = order.makeRoom(at: index)
        for entry in room.moved {
            rows.updatePresent(entry.id) { $0.label = entry.label }
        }
        return room.label
    }
}

extension PagedTable.Page {
    /// Lends the element at a position of the page where it stands.
    @inlinable
    func withRow<Part>(at position: Int, _ body: (UnsafePointer<Part>) -> Bool) -> Bool where Element == OrderedTable<Part>.Row {
        node.elements.withUnsafeBufferPointer { rows in
            guard let row = rows.baseAddress.flatMap({ ($0 + position).pointer(to: \.element) }) else { return true }
            return body(row)
        }
    }
}
