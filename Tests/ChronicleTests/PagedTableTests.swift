import TestSupport
import Testing

@testable import Chronicle

@Suite struct PagedTableTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a table behaves like a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var table = PagedTable<Int>()
        var model: [UInt64: Int] = [:]
        let span: UInt64 = [40, 1000, 100_000, .max][Int(seed % 4)]
        for step in 0..<2000 {
            let id =
                model.isEmpty || Bool.random(using: &random)
                ? UInt64.random(in: 0...span, using: &random) : model.keys.sorted()[step % model.count]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let expected = model.removeValue(forKey: id)
                #expect(table.remove(id) == expected)
            case 1:
                let isUpdated = table.update(id) { $0 += 1 } != nil
                #expect(isUpdated == (model[id] != nil))
                model[id]? += 1
            default:
                table[id] = step
                model[id] = step
            }
            #expect(table[id] == model[id])
            #expect(table.contains(id) == (model[id] != nil))
            #expect(table.count == model.count)
        }
        var walked: [UInt64] = []
        table.forEach { id, element in
            walked.append(id)
            return element == model[id]
        }
        #expect(walked == model.keys.sorted())
    }

    @Test func `the shape of a table depends only on its contents`() {
        var table = PagedTable<Int>()
        table[3] = 1
        table[.max] = 2
        table[.max] = nil
        #expect(table.count == 1 && table[3] == 1 && table[.max] == nil)
        table[3] = nil
        #expect(table.isEmpty)
        #expect(table.isIdentical(to: PagedTable()))
    }

    @Test func `a copy keeps its contents`() {
        var table = PagedTable<Int>()
        for id in 0..<5000 as Range<UInt64> { table[id] = Int(id) }
        let copy = table
        for id in 0..<5000 as Range<UInt64> where id % 3 == 0 { table[id] = id % 2 == 0 ? nil : -1 }
        var isKept = true
        for id in 0..<5000 as Range<UInt64> { isKept = isKept && copy[id] == Int(id) }
        #expect(isKept)
        #expect(copy.count == 5000)
        #expect(table[3] == -1 && table[6] == nil)
    }

    @Test func `changing a missing element keeps the table identical`() {
        var table = PagedTable<Int>()
        for id in 0..<100 as Range<UInt64> { table[id * 1000] = 0 }
        let copy = table
        #expect(table.remove(7) == nil)
        let isUpdated = table.update(1_000_000) { $0 = 1 } != nil
        #expect(!isUpdated)
        #expect(table.isIdentical(to: copy))
        table[1000] = 1
        #expect(!table.isIdentical(to: copy))
    }

    @Test func `differences skip shared pages`() {
        var table = PagedTable<Int>()
        for id in 0..<100_000 as Range<UInt64> { table[id] = 0 }
        let old = table
        table[70_000] = 1
        table[5] = nil
        table[1_000_000] = 2
        var visited = 0
        var found: [UInt64: [Int?]] = [:]
        table.forEachDifference(
            from: old,
            isSame: { before, after in
                visited += 1
                return before == after
            },
            { id, before, after in
                found[id] = [before.isEmpty ? nil : before[0], after.isEmpty ? nil : after[0]]
                return true
            })
        #expect(found == [5: [0, nil], 70_000: [0, 1], 1_000_000: [nil, 2]])
        #expect(visited <= 3 * 16)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `differences lead from any table to any other`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var tables: [PagedTable<Int>] = []
        var table = PagedTable<Int>()
        for step in 0..<300 {
            let id = UInt64.random(in: 0...1 << UInt64.random(in: 0..<63, using: &random), using: &random)
            table[id] = step % 3 == 0 ? nil : step
            if step % 100 == 50 { tables.append(table) }
        }
        for old in tables {
            for new in tables {
                var patched = old
                new.forEachDifference(from: old, isSame: ==) { id, before, after in
                    #expect(patched[id] == (before.isEmpty ? nil : before[0]))
                    patched[id] = after.isEmpty ? nil : after[0]
                    return true
                }
                var pairs: [[UInt64]] = []
                patched.forEach {
                    pairs.append([$0, UInt64($1)])
                    return true
                }
                var expected: [[UInt64]] = []
                new.forEach {
                    expected.append([$0, UInt64($1)])
                    return true
                }
                #expect(pairs == expected)
            }
        }
    }
}
