/// A persistent table of elements with IDs and an explicit order; copies share unchanged parts.
///
/// Lookup by ID or index, insertion, move and removal take logarithmic time, also while copies exist. Two tables are equal if they have the
/// same elements with the same IDs in the same order.
public struct OrderedTable<Element: Sendable>: Sendable {
    @usableFromInline struct Row: Sendable {
        @usableFromInline var label: UInt64
        @usableFromInline var element: Element

        @inlinable init(label: UInt64, element: Element) {
            self.label = label
            self.element = element
        }
    }

    // The labels in the rows determine the order, so tables with identical rows are identical.
    @usableFromInline var rows = PagedTable<Row>()
    @usableFromInline var order = LabelTree()

    @inlinable public init() {}
    @inlinable public var count: Int { rows.count }
    @inlinable public var isEmpty: Bool { rows.isEmpty }
    @inlinable public subscript(id: UInt64) -> Element? { rows.read(id) { $0.element } }
    @inlinable public func contains(_ id: UInt64) -> Bool { rows.contains(id) }
    @inlinable public func id(at index: Int) -> UInt64? { index >= 0 && index < count ? order.entry(at: index).id : nil }
    @inlinable public func index(of id: UInt64) -> Int? { rows.read(id) { $0.label }.map { order.index(ofLabel: $0) } }

    /// Reads an element without copying it; nil if it is missing.
    @inlinable
    public func read<Result>(_ id: UInt64, _ body: (Element) -> Result) -> Result? { rows.read(id) { body($0.element) } }

    @inlinable @discardableResult
    public mutating func update<Result>(_ id: UInt64, _ body: (inout Element) -> Result) -> Result? {
        rows.update(id) { body(&$0.element) }
    }

    /// Changes an element in place if it exists and satisfies the condition; returns whether it did.
    @inlinable @discardableResult
    public mutating func update(_ id: UInt64, where condition: (Element) -> Bool, _ body: (inout Element) -> Void) -> Bool {
        guard rows.read(id, { condition($0.element) }) == true else { return false }
        rows.updatePresent(id) { body(&$0.element) }
        return true
    }

    /// Inserts an element at an index, which is clamped; returns false and changes nothing if the ID exists.
    @inlinable @discardableResult public mutating func insert(_ element: Element, id: UInt64, at index: Int) -> Bool {
        guard !rows.contains(id) else { return false }
        let index = Swift.min(Swift.max(index, 0), count)
        let label = makeLabel(at: index)
        rows.set(Row(label: label, element: element), for: id)
        order.insert(LabelTree.Entry(label: label, id: id), at: index)
        return true
    }

    @inlinable @discardableResult
    public mutating func append(_ element: Element, id: UInt64) -> Bool { insert(element, id: id, at: count) }

    @inlinable @discardableResult public mutating func remove(_ id: UInt64) -> Element? {
        guard let row = rows.remove(id) else { return nil }
        order.remove(label: row.label)
        return row.element
    }

    /// Moves an element to an index, which is clamped; returns false if the ID is missing.
    @inlinable @discardableResult public mutating func move(_ id: UInt64, to index: Int) -> Bool {
        guard let old = rows.read(id, { $0.label }) else { return false }
        let index = Swift.min(Swift.max(index, 0), count - 1)
        // A move to the current index must leave the table identical.
        guard order.entry(at: index).id != id else { return true }
        order.remove(label: old)
        let label = makeLabel(at: index)
        order.insert(LabelTree.Entry(label: label, id: id), at: index)
        rows.updatePresent(id) { $0.label = label }
        return true
    }

    @inlinable public func forEach(from index: Int = 0, _ body: (UInt64, Element) -> Bool) {
        forEachInPlace(from: index) { body($0, $1.pointee) }
    }

    /// Iterates over the elements in order without retaining them; the pointer is valid while the body runs.
    @inlinable func forEachInPlace(from index: Int, _ body: (UInt64, UnsafePointer<Element>) -> Bool) {
        forEachPlace(from: index) { id, page, position in page.withRow(at: position) { body(id, $0) } }
    }

    /// Iterates over the elements in order; the body receives nil for an element that the filter rejects by its mark.
    @inlinable func forEachInPlace<Mark>(
        from index: Int, _ marks: inout Marks<Mark>, _ mark: (Element) -> Mark, where isWanted: (Mark) -> Bool,
        _ body: (UInt64, UnsafePointer<Element>?) -> Bool
    ) {
        var marked = Marks<Mark>.Page()
        forEachPlace(from: index) { id, page, position in
            if !marked.isUnchanged(page.node) { marked = marks.page(page, mark) }
            guard isWanted(marked.marks.span[position]) else { return body(id, nil) }
            return page.withRow(at: position) { body(id, $0) }
        }
        marks.clear(ifAbove: count)
    }

    @inlinable func forEachPlace(from index: Int, _ body: (UInt64, PagedTable<Row>.Page, Int) -> Bool) {
        var page = rows.page(of: 0)
        order.forEach(from: Swift.max(index, 0)) { entry in
            // Adjacent elements usually have adjacent IDs.
            if !page.contains(entry.id) { page = rows.page(of: entry.id) }
            guard let position = page.position(of: entry.id) else { return true }
            return body(entry.id, page, position)
        }
    }

    /// Iterates over the elements by ascending ID until the body returns false; faster than iterating in order.
    @inlinable public func forEachByID(_ body: (UInt64, Element) -> Bool) { rows.forEach { body($0, $1.element) } }

    /// Whether both share their storage, in constant time; tables that don't may still be equal.
    @inlinable public func isIdentical(to other: OrderedTable) -> Bool { rows.isIdentical(to: other.rows) }

    @inlinable mutating func makeLabel(at index: Int) -> UInt64 {
        if let label = order.label(at: index) { return label }
        let room = order.makeRoom(at: index)
        for entry in room.moved { rows.updatePresent(entry.id) { $0.label = entry.label } }
        return room.label
    }

    /// Builds a table from all elements in order; nil if an ID occurs twice.
    ///
    /// Takes a third of the time of appending the elements one by one, with the same result.
    @inlinable public init?(_ elements: [Element], id: (Element) -> UInt64) {
        let order = LabelTree(elements.map(id))
        var entries = order.indexedEntries
        // Most lists are nearly sorted by ID, which the sort handles in one pass.
        entries.sort { $0.id < $1.id }
        guard zip(entries, entries.dropFirst()).allSatisfy({ $0.id < $1.id }) else { return nil }
        self.order = order
        rows = PagedTable(entries.map { $0.id }) { Row(label: entries[$0].label, element: elements[entries[$0].index]) }
    }

    /// A cache of values derived from the elements of successive versions of a table.
    ///
    /// Values are cached per page. The cached page retains its rows, so a later change copies the page and its values are computed again.
    @usableFromInline struct Marks<Mark: Sendable>: Sendable {
        @usableFromInline struct Page: Sendable {
            @usableFromInline var rows: [Row] = []
            @usableFromInline var marks: [Mark] = []

            @inlinable init() {}
            @inlinable func isUnchanged(_ node: PagedTable<Row>.Node) -> Bool { rows.hasSameStorage(as: node.elements) }
        }

        @usableFromInline var pages: [UInt64: Page] = [:]

        @inlinable init() {}

        @inlinable mutating func page(_ page: PagedTable<Row>.Page, _ mark: (Element) -> Mark) -> Page {
            if let marked = pages[page.ids], marked.isUnchanged(page.node) { return marked }
            var marked = Page()
            marked.rows = page.node.elements
            marked.marks = page.node.elements.map { mark($0.element) }
            pages[page.ids] = marked
            return marked
        }

        /// Clears the cache above a number of pages, because then most of its pages are obsolete.
        @inlinable mutating func clear(ifAbove pagesMax: Int) { if pages.count > pagesMax { pages = [:] } }
    }
}

extension PagedTable.Page {
    @inlinable
    func withRow<Part>(at position: Int, _ body: (UnsafePointer<Part>) -> Bool) -> Bool where Element == OrderedTable<Part>.Row {
        node.elements.withUnsafeBufferPointer { rows in
            guard let row = rows.baseAddress.flatMap({ ($0 + position).pointer(to: \.element) }) else { return true }
            return body(row)
        }
    }
}

extension OrderedTable: CustomReflectable, CustomStringConvertible {
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }
    public var description: String { String(describing: elements) }

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

extension LabelTree {
    @usableFromInline struct IndexedEntry: Sendable {
        @usableFromInline var id: UInt64
        @usableFromInline var label: UInt64
        @usableFromInline var index: Int
    }

    @usableFromInline var indexedEntries: [IndexedEntry] {
        var entries: [IndexedEntry] = []
        entries.reserveCapacity(count)
        forEach(from: 0) { entry in
            entries.append(IndexedEntry(id: entry.id, label: entry.label, index: entries.count))
            return true
        }
        return entries
    }

    /// Builds the order of IDs, equal to appending them one by one.
    @usableFromInline init(_ ids: [UInt64]) {
        self.init()
        let step = Swift.min(Self.stride, (1 << 63) / UInt64(ids.count + 1))
        var nodes: [Node] = []
        for start in Swift.stride(from: 0, to: ids.count, by: Node.entriesMax) {
            let range = start..<Swift.min(start + Node.entriesMax, ids.count)
            nodes.append(Node(entries: range.map { Entry(label: 1 << 63 + step * UInt64($0), id: ids[$0]) }))
        }
        while nodes.count > 1 {
            nodes = Swift.stride(from: 0, to: nodes.count, by: Node.childrenMax).map {
                Node(children: Array(nodes[$0..<Swift.min($0 + Node.childrenMax, nodes.count)]))
            }
        }
        if let root = nodes.first { self.root = root }
    }
}

extension PagedTable {
    /// Builds a table from elements with ascending IDs.
    @inlinable init(_ ids: [UInt64], element: (Int) -> Element) {
        self.init()
        guard let last = ids.last else { return }
        storedCount = ids.count
        while !fits(last) { height += 1 }
        var (names, nodes) = Self.pages(of: ids) { range in
            var page = Node()
            page.elements.reserveCapacity(range.count)
            for index in range { page.elements.append(element(index)) }
            return page
        }
        for _ in 0..<height {
            (names, nodes) = Self.pages(of: names) { [nodes] range in
                var page = Node()
                page.children = Array(nodes[range])
                return page
            }
        }
        root = nodes[0]
    }

    /// Groups IDs into pages; returns the common prefix of each page.
    @inlinable static func pages(of ids: [UInt64], _ page: (Range<Int>) -> Node) -> (names: [UInt64], nodes: [Node]) {
        var pages: (names: [UInt64], nodes: [Node]) = ([], [])
        var start = 0
        while start < ids.count {
            let name = ids[start] >> PageBits.perLevel
            var end = start
            var bitmap: UInt32 = 0
            while end < ids.count, ids[end] >> PageBits.perLevel == name {
                bitmap |= Node.bit(ids[end], 0)
                end += 1
            }
            var node = page(start..<end)
            node.bitmap = bitmap
            pages.names.append(name)
            pages.nodes.append(node)
            start = end
        }
        return pages
    }
}
