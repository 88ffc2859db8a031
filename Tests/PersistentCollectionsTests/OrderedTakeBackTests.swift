import PersistentCollections
import TestSupport
import Testing

@Suite struct OrderedTakeBackTests {
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

    /// A change at random.
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

    @Test func `what nothing else has changed since is exactly what it was`() {
        for seed in 0..<300 as Range<UInt64> {
            var dice = SeededGenerator(seed)
            var next: UInt64 = 0
            var before = OrderedTable<String>()
            for _ in 0..<20 { step(&before, &next, &dice) }
            var after = before
            for _ in 0..<Int.random(in: 1...6, using: &dice) { step(&after, &next, &dice) }
            // The same rows without a shared page, so that nothing is recognized by identity.
            var present = OrderedTable<String>()
            after.forEach { present.append($1, id: $0) }
            #expect(present.takeBack(from: after, to: before) { _, _, _ in "merged" }.isEmpty, "seed \(seed)")
            #expect(present == before, "seed \(seed)")
        }
    }

    @Test func `what others added, removed, moved and changed meanwhile stays`() {
        let before = table((1, "a"), (2, "b"), (3, "c"), (4, "d"))
        var after = before
        after.remove(2)
        var present = after
        present.insert("new", id: 9, at: 0)
        present.remove(4)
        present.update(3) { $0 = "C" }
        #expect(present.takeBack(from: after, to: before) { _, _, _ in "" }.isEmpty)
        #expect(ids(present) == [9, 1, 2, 3])
        #expect(present[3] == "C" && present[2] == "b")
    }

    @Test func `a row that has changed since is told, and merged`() {
        let before = table((1, "a"))
        let after = table((1, "b"))
        var present = table((1, "c"))
        let conflicts = present.takeBack(from: after, to: before) { found, after, before in found + after + before }
        #expect(conflicts == [.contents(id: 1, expected: "b", found: "c")])
        #expect(present[1] == "cba")
    }

    @Test func `a row that is gone, and one that came back otherwise, are told`() {
        var present = table((2, "x"))
        let conflicts = present.takeBack(from: table((1, "b")), to: table((1, "a"), (2, "y"))) { _, _, before in before }
        #expect(conflicts == [.contents(id: 2, expected: nil, found: "x"), .contents(id: 1, expected: "b", found: nil)])
        #expect(present[2] == "y" && present[1] == nil)
    }

    @Test func `a row that was taken out by somebody else as well is no conflict`() {
        var present = table((1, "a"))
        #expect(present.takeBack(from: table((1, "a"), (2, "b")), to: table((1, "a"))) { _, _, before in before }.isEmpty)
        #expect(ids(present) == [1])
    }

    @Test func `a row that was moved again since is told with both places`() {
        let before = table((1, "a"), (2, "b"), (3, "c"), (4, "d"))
        var after = before
        after.move(1, to: 3)
        var present = after
        present.move(1, to: 1)
        #expect(
            present.takeBack(from: after, to: before) { _, _, before in before } == [.place(id: 1, expected: 3, found: 1)])
        #expect(ids(present) == [1, 2, 3, 4])
    }
}
