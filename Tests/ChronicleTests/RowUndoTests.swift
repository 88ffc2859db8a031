import Chronicle
import Testing

/// A page whose status is the result of a check.
private struct Page: TableRow {
    var id: UInt64 = 0
    var title: Int64 = 0
    var status: Int64 = 0
    var count: Int64 = 0

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "id", &id, .needed)
        try fields.field(2, "title", &title)
        try fields.field(3, "status", &status, .optional, undone: .never)
        try fields.field(4, "count", &count, .optional, undone: .byDifference)
    }
}

private struct Pages: FieldCoding {
    var items = OrderedTable<Page>()

    init() {}
    init(_ page: Page) { items.append(page, id: page.id) }

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.rows(1, "items", &items)
    }
}

@Suite struct RowUndoTests {
    private let before = Page(id: 1, title: 1)
    private let after = Page(id: 1, title: 2)

    @Test func `a field that is never undone keeps its later value and is no conflict`() {
        let present = Pages(Page(id: 1, title: 2, status: 200))
        let undone = present.reverted(from: Pages(after), to: Pages(before))
        #expect(undone.conflicts.isEmpty)
        #expect(undone.state.items[1] == Page(id: 1, title: 1, status: 200))
        // Also where the step itself changed the field, and nothing has changed since.
        let same = Pages(Page(id: 1, title: 2, status: 200))
        #expect(same.reverted(from: same, to: Pages(before)).state.items[1] == Page(id: 1, title: 1, status: 200))
        // The row itself is undone with it.
        let removed = present.reverted(from: Pages(after), to: Pages())
        #expect(removed.conflicts.isEmpty && removed.state.items.isEmpty)
    }

    @Test func `a later change of a field that the step changed is a conflict of that field alone`() {
        let present = Pages(Page(id: 1, title: 3, status: 200))
        let undone = present.reverted(from: Pages(after), to: Pages(before))
        #expect(undone.conflicts.map(\.path) == ["items[1].title"])
    }

    @Test func `a number that is undone by difference keeps later additions, up to the limit of exact numbers`() {
        let (old, new) = (Pages(Page(id: 1, count: 2)), Pages(Page(id: 1, count: 5)))
        let undone = Pages(Page(id: 1, title: 7, count: 2)).reverted(from: new, to: old)
        #expect(undone.conflicts.isEmpty && undone.state.items[1] == Page(id: 1, title: 7, count: -1))
        let later = Pages(Page(id: 1, count: 9)).reverted(from: new, to: old)
        #expect(later.conflicts.isEmpty && later.state.items[1]?.count == 6)
        let again = old.reverted(from: new, to: old)
        #expect(again.conflicts.isEmpty && again.state.items[1]?.count == -1)
        let beyond = Pages(Page(id: 1, count: -Int64.exactMax)).reverted(from: new, to: old)
        #expect(beyond.conflicts.map(\.path) == ["items[1].count"])
    }
}
