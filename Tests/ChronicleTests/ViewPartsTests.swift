import Chronicle
import ChronicleTesting
import TestSupport
import Testing

/// A state with a table and the default view.
private struct Page: FieldCoding {
    var title: Int64 = 0
    var lines = OrderedTable<Line>()
    var hidden: Int64 = 0

    init() {}

    init(_ lines: [Line]) { for line in lines { self.lines.append(line, id: line.id) } }

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "title", &title, .shown)
        try visitor.rows(2, "lines", &lines)
        try visitor.field(3, "hidden", &hidden)
    }
}

@Suite struct ViewPartsTests {
    /// Returns the changes between two views, after checking that they lead from one to the other.
    private func changes(from old: ViewParts, to new: ViewParts) throws -> [Change] {
        let changes = try #require(new.changes(from: old, limit: .max))
        var screen = Screen(old.value)
        for change in changes {
            let fits = screen.apply(change)
            #expect(fits, "\(change)")
        }
        #expect(screen == Screen(new.value))
        return changes
    }

    private func shown(_ lines: OrderedTable<Line>, count: Int64 = 0) -> ViewParts {
        ViewParts(["count": .int(count)], lists: [ViewList(lines, at: "rows") { ["begins": .text(String($0.text.prefix(1)))] }])
    }

    private var lines: OrderedTable<Line> {
        var lines = OrderedTable<Line>()
        for (id, text) in [(1, "anna"), (2, "berta"), (3, "carla")] as [(UInt64, String)] {
            lines.append(Line(id: id, text: text), id: id)
        }
        return lines
    }

    @Test func `a view splits into lists of records and an outline, and joins again`() {
        let view: Value = ["title": "T", "rows": [["id": 1], ["id": 2]], "sizes": [1, 2], "none": [], "a.b": [["id": 3]]]
        let parts = ViewParts(view)
        #expect(parts.outline == ["title": "T", "rows": [], "sizes": [1, 2], "none": [], "a.b": [["id": 3]]])
        #expect(parts.lists.map(\.path) == ["rows", "none"] && parts.lists.map(\.rows.count) == [2, 0])
        #expect(parts.value == view)
        #expect(ViewParts("a text").value == "a text" && ViewParts("a text").lists.isEmpty)
    }

    @Test func `a row changes only if its displayed value changes`() throws {
        let old = lines
        var new = old
        #expect(try changes(from: shown(old), to: shown(new)).isEmpty)
        new.update(2) { $0.text = "beate" }
        #expect(try changes(from: shown(old), to: shown(new)).isEmpty)
        new.update(3) { $0.text = "dora" }
        #expect(
            try changes(from: shown(old), to: shown(new, count: 1)) == [
                Change(path: "rows", kind: .replace, id: 3, at: 2, old: ["begins": "c"], new: ["begins": "d"]),
                Change(path: "", kind: .set, old: ["count": 0], new: ["count": 1]),
            ])
        new.move(3, to: 0)
        new.remove(1)
        new.append(Line(id: 4, text: "emma"), id: 4)
        let kinds = try changes(from: shown(old), to: shown(new)).map(\.kind)
        #expect(kinds == [.remove, .move, .insert, .replace])
    }

    @Test func `only displayed changes count against the limit`() {
        var old = OrderedTable<Line>()
        for id in 1...500 as ClosedRange<UInt64> { old.append(Line(id: id, text: "a\(id)"), id: id) }
        var new = old
        for id in 1...500 as ClosedRange<UInt64> { new.update(id) { $0.text = "another" } }
        #expect(shown(new).changes(from: shown(old), limit: 0)?.isEmpty == true)
        for id in 1...11 as ClosedRange<UInt64> { new.update(id) { $0.text = "b" } }
        #expect(shown(new).changes(from: shown(old), limit: 11)?.count == 11)
        #expect(shown(new).changes(from: shown(old), limit: 10) == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `changes of rows without IDs have indices`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        func rows() -> Value {
            var rows: [Value] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) { rows.append(["name": .int(.random(in: 0...2, using: &random))]) }
            return .list(rows)
        }
        let (old, new) = (ViewParts(["rows": rows()]), ViewParts(["rows": rows()]))
        let changes = try changes(from: old, to: new)
        #expect(changes.isEmpty == (old.value == new.value))
        #expect(changes.count <= 6 && changes.allSatisfy { $0.id == nil && $0.path == "rows" })
    }

    @Test func `a new field has no old value, and a removed one has no new value`() throws {
        let (short, long) = (ViewParts(["a": 1]), ViewParts(["a": 1, "b": ["c": 2]]))
        #expect(try changes(from: short, to: long) == [Change(path: "", kind: .set, new: ["b": ["c": 2]])])
        #expect(try changes(from: long, to: short) == [Change(path: "", kind: .set, old: ["b": ["c": 2]])])
    }

    @Test func `views without a description by changes, or above the limit, have none`() {
        #expect(ViewParts(2).changes(from: ViewParts(1), limit: .max) == nil)
        #expect(ViewParts(1).changes(from: ViewParts(1), limit: 0) == [])
        #expect(ViewParts(["a": [1]]).changes(from: ViewParts(["a": [["b": 1]]]), limit: .max) == nil)
        #expect(ViewParts(["a": 2, "b": 2]).changes(from: ViewParts(["a": 1, "b": 1]), limit: 1) == nil)
    }

    @Test func `fields of a record with lists change separately`() throws {
        func whole(_ sum: Int64, _ lines: OrderedTable<Line>) -> ViewParts {
            var whole = ViewParts(["other": 1])
            whole.append("page", shown(lines, count: sum))
            return whole
        }
        let old = lines
        var new = old
        new.remove(1)
        #expect(
            try changes(from: whole(0, old), to: whole(1, new)) == [
                Change(path: "page.rows", kind: .remove, id: 1, at: 0, old: ["begins": "a"]),
                Change(path: "page", kind: .set, old: ["count": 0], new: ["count": 1]),
            ])
        #expect(whole(1, new).part("page")?.value == shown(new, count: 1).value)
        #expect(whole(1, new).part("page")?.lists.map(\.path) == ["rows"])
        #expect(whole(1, new).part("other")?.value == 1 && whole(1, new).part("nope") == nil)
        #expect(shown(new).part("rows")?.value == [["begins": "b"], ["begins": "c"]])
    }

    @Test func `the default view has the displayed fields and a row for each element`() {
        let page = Page([Line(id: 1, text: "a"), Line(id: 2, text: "b")])
        let parts = Shown.viewParts(of: page)
        #expect(parts.outline == ["title": 0, "lines": []])
        #expect(Shown.view(of: page) == ["title": 0, "lines": [["id": 1, "text": "a"], ["id": 2, "text": "b"]]])
        #expect(Shown.viewParts(of: page, child: "title")?.value == 0 && Shown.viewParts(of: page, child: "nope")?.value == nil)
    }
}

private enum Shown: Feature {
    typealias State = Page
    typealias Action = NoAction

    static func reduce(_ state: inout Page, _ action: NoAction, _ context: Context) -> [Never] { [] }
}
