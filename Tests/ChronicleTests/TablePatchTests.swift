import Chronicle
import TestSupport
import Testing

@Suite struct TablePatchTests {
    func table(_ ids: UInt64..., text: String = "a") -> OrderedTable<Line> {
        var table = OrderedTable<Line>()
        for id in ids { table.append(Line(id: id, text: text), id: id) }
        return table
    }

    func patched(_ table: OrderedTable<Line>, _ patch: TablePatch<Line>) -> OrderedTable<Line> {
        var table = table
        patch.apply(to: &table) { _, _ in true }
        return table
    }

    @Test func `a patch leads from any table to any other`() {
        for seed in 0..<200 as Range<UInt64> {
            var dice = SeededGenerator(seed)
            let old = Self.randomTable(&dice)
            let new = Self.randomTable(&dice)
            #expect(patched(old, TablePatch(from: old, to: new)) == new, "seed \(seed)")
        }
    }

    @Test func `the patch of equal tables is empty`() {
        #expect(TablePatch(from: table(1, 2), to: table(1, 2)).isEmpty)
    }

    @Test func `a patch for another table applies as far as possible`() {
        let patch = TablePatch(
            removed: [1, 9], placed: [.init(Line(id: 7, text: "g"), at: 50), .init(Line(id: 2, text: "c"), at: 0)])
        #expect(patched(table(1, 2, 3), patch).elements.map(\.id) == [2, 3, 7])
    }

    @Test func `rows that the caller rejects are not added`() {
        var lines = table(1)
        TablePatch(placed: [.init(Line(id: 2, text: ""), at: 0), .init(Line(id: 3, text: "c"), at: 0)])
            .apply(to: &lines) { line, _ in !line.text.isEmpty }
        #expect(lines.elements.map(\.id) == [3, 1])
    }

    @Test func `a patch decodes from its bytes and its value`() throws {
        let patch = TablePatch(removed: [1, 300], placed: [.init(Line(id: 7, text: "g"), at: 5)])
        #expect(patch.canonicalBytes == [4, 1, 4, 172, 2, 9, 9, 5, 5, 4, 7, 9, 1, 103, 8, 5])
        #expect(try TablePatch<Line>(canonical: patch.canonicalBytes) == patch)
        #expect(patch.value == ["removed": [1, 300], "placed": [["item": ["id": 7, "text": "g"], "index": 5]]])
        #expect(try TablePatch<Line>(patch.value) == patch)
        #expect(TablePatch<Line>().value == .record([]))
        #expect(try TablePatch<Line>(canonical: []).isEmpty)
    }

    static func randomTable(_ dice: inout SeededGenerator) -> OrderedTable<Line> {
        var table = OrderedTable<Line>()
        for _ in 0..<Int.random(in: 0...12, using: &dice) {
            let id = UInt64.random(in: 1...15, using: &dice)
            let line = Line(id: id, text: Bool.random(using: &dice) ? "a" : "b")
            table.insert(line, id: id, at: Int.random(in: 0...table.count, using: &dice))
        }
        return table
    }
}
