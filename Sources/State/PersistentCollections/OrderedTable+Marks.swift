extension OrderedTable {
    /// What somebody made of each element of a table, for who looks through the table and what becomes of it again and again.
    ///
    /// It is kept page by page, with the page, which is copied by who changes it next; what was made of a page that has changed is made anew.
    public struct Marks<Mark: Sendable>: Sendable {
        @usableFromInline
        struct Page: Sendable {
            @usableFromInline var rows: [Row] = []
            /// As many as there are rows.
            @usableFromInline var marks: [Mark] = []

            @inlinable
            init() {}

            /// Whether a page has not changed since.
            @inlinable
            func isOf(_ node: PagedTable<Row>.Node) -> Bool { rows.hasSameStorage(as: node.elements) }
        }

        @usableFromInline var pages: [UInt64: Page] = [:]

        /// Makes none.
        @inlinable
        public init() {}

        @inlinable
        mutating func page(_ page: PagedTable<Row>.Page, _ mark: (Element) -> Mark) -> Page {
            if let marked = pages[page.ids], marked.isOf(page.node) { return marked }
            var marked = Page()
            marked.rows = page.node.elements
            marked.marks = page.node.elements.map { mark($0.element) }
            pages[page.ids] = marked
            return marked
        }

        /// Where there are more pages than so many, most of them are gone from the table.
        @inlinable
        mutating func forgetAll(ifAbove pagesMax: Int) { if pages.count > pagesMax { pages = [:] } }
    }
}
