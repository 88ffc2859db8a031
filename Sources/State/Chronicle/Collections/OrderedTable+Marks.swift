extension OrderedTable {
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
