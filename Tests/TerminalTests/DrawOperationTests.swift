import Terminal
import Testing

@Suite struct DrawOperationTests {
    @Test(arguments: 0..<200 as Range<UInt64>) func `the operations turn one canvas into the other`(seed: UInt64) {
        var scribble = Scribble(seed)
        for _ in 0..<20 {
            let size = scribble.size()
            let (before, other) = (scribble.canvas(size), scribble.canvas(size))
            var changed = before
            scribble.scribble(on: &changed)
            for after in [other, changed, scribble.canvas(scribble.size())] {
                #expect(before.applying(after.operations(from: before)) == after)
                #expect(before.applying(after.operations(from: nil)) == after)
                #expect(after.operations(from: after).isEmpty)
            }
        }
    }

    @Test func `only cells that differ are drawn`() {
        var before = Canvas(Size(columns: 80, rows: 24))
        for row in 0..<24 { before.put(String(repeating: "x", count: 80), at: 0, row: row) }
        var after = before
        after.put("y", at: 3, row: 4)
        after.put("y", at: 6, row: 4)
        after.put("y", at: 70, row: 4)
        let operations = after.operations(from: before)
        // Two changes that are near each other are one operation.
        #expect(operations.count == 2)
        guard case .run(let cells, let start) = operations.first else {
            Issue.record("no cells: \(operations)")
            return
        }
        #expect(cells.map(\.text) == ["y", "x", "x", "y"] && start == Position(column: 3, row: 4))
    }

    @Test func `the cursor is moved without drawing`() {
        let before = Canvas(Size(columns: 8, rows: 2))
        var after = before
        after.cursor = Position(column: 3, row: 1)
        #expect(after.operations(from: before) == [.cursor(Position(column: 3, row: 1))])
        #expect(before.operations(from: after) == [.cursor(nil)])
    }
}
