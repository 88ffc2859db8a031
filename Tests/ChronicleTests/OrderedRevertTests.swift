import TestSupport
import Testing

@testable import Chronicle

@Suite struct OrderedRevertTests {
    func table(_ rows: (UInt64, String)...) -> OrderedTable<String> {
        var table = OrderedTable<String>()
        for (id, text) in rows { table.append(text, id: id) }
        return table
    }

    func ids(_ table: OrderedTable<String>) -> [UInt64] {
        var ids: [UInt64] = []
        table.forEach { id, _ in
            ids.append(id)
            return true
        }
        return ids
    }

    /// Applies a random change.
    func step(_ table: inout OrderedTable<String>, _ next: inout UInt64, _ dice: inout SeededGenerator) {
        let id = table.isEmpty ? 0 : table.id(at: Int.random(in: 0..<table.count, using: &dice)) ?? 0
        switch Int.random(in: 0...5, using: &dice) {
        case 0, 1, 2:
            next += 1
            table.insert("new", id: next, at: Int.random(in: 0...table.count, using: &dice))
        case 3: table.remove(id)
        case 4: table.move(id, to: Int.random(in: 0...table.count, using: &dice))
        default: table.update(id) { $0 += "." }
        }
    }

    @Test func `reverting without other changes restores the old table`() {
        for seed in 0..<300 as Range<UInt64> {
            var dice = SeededGenerator(seed)
            var next: UInt64 = 0
            var before = OrderedTable<String>()
            for _ in 0..<20 { step(&before, &next, &dice) }
            var after = before
            for _ in 0..<Int.random(in: 1...6, using: &dice) { step(&after, &next, &dice) }
            // Copies the rows without sharing pages, so that no comparison by identity applies.
            var present = OrderedTable<String>()
            after.forEach { present.append($1, id: $0) }
            #expect(present.revert(from: after, to: before) { _, _, _ in "merged" }.isEmpty, "seed \(seed)")
            #expect(present == before, "seed \(seed)")
        }
    }

    @Test func `reverting keeps concurrent additions, removals, moves and changes`() {
        let before = table((1, "a"), (2, "b"), (3, "c"), (4, "d"))
        var after = before
        after.remove(2)
        var present = after
        present.insert("new", id: 9, at: 0)
        present.remove(4)
        present.update(3) { $0 = "C" }
        #expect(present.revert(from: after, to: before) { _, _, _ in "" }.isEmpty)
        #expect(ids(present) == [9, 1, 2, 3])
        #expect(present[3] == "C" && present[2] == "b")
    }

    @Test func `a row that has changed since is a conflict and is merged`() {
        let before = table((1, "a"))
        let after = table((1, "b"))
        var present = table((1, "c"))
        let conflicts = present.revert(from: after, to: before) { found, after, before in found + after + before }
        #expect(conflicts == [.contents(id: 1, before: "a", after: "b", found: "c")])
        #expect(present[1] == "cba")
    }

    @Test func `a removed row and a row that was added again with other contents are conflicts`() {
        var present = table((2, "x"))
        let conflicts = present.revert(from: table((1, "b")), to: table((1, "a"), (2, "y"))) { _, _, before in before }
        #expect(
            conflicts == [
                .contents(id: 2, before: "y", after: nil, found: "x"), .contents(id: 1, before: "a", after: "b", found: nil),
            ])
        #expect(present[2] == "y" && present[1] == nil)
    }

    @Test func `a row that both removed is not a conflict`() {
        var present = table((1, "a"))
        #expect(present.revert(from: table((1, "a"), (2, "b")), to: table((1, "a"))) { _, _, before in before }.isEmpty)
        #expect(ids(present) == [1])
    }

    @Test func `a row that was moved again is a conflict with both indices`() {
        let before = table((1, "a"), (2, "b"), (3, "c"), (4, "d"))
        var after = before
        after.move(1, to: 3)
        var present = after
        present.move(1, to: 1)
        #expect(
            present.revert(from: after, to: before) { _, _, before in before } == [.place(id: 1, expected: 3, found: 1)])
        #expect(ids(present) == [1, 2, 3, 4])
    }
}
