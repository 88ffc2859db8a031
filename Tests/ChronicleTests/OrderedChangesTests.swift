import Chronicle
import TestSupport
import Testing

@Suite struct OrderedChangesTests {
    func listed(_ table: OrderedTable<Int>) -> [[Int]] {
        var list: [[Int]] = []
        table.forEach {
            list.append([Int($0), $1])
            return true
        }
        return list
    }

    /// Applies the changes to an array; fails if one doesn't apply.
    func applied(_ changes: [OrderedChange<Int>], to list: [[Int]]) -> [[Int]] {
        var list = list
        for change in changes {
            switch change {
            case .remove(let id, let index, let element):
                #expect(list[index] == [Int(id), element])
                list.remove(at: index)
            case .insert(let id, let index, let element):
                list.insert([Int(id), element], at: index)
            case .move(let id, let from, let to):
                #expect(list[from][0] == Int(id))
                list.insert(list.remove(at: from), at: to)
            case .replace(let id, let index, let old, let new):
                #expect(list[index] == [Int(id), old])
                list[index][1] = new
            }
        }
        return list
    }

    func randomStep(_ table: inout OrderedTable<Int>, _ next: inout UInt64, _ random: inout SeededGenerator) {
        let count = table.count
        let id = table.id(at: count == 0 ? 0 : Int.random(in: 0..<count, using: &random)) ?? 0
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            next += 1
            table.insert(0, id: next, at: Int.random(in: 0...count, using: &random))
        case 2: table.move(id, to: Int.random(in: 0...count, using: &random))
        case 3: table.remove(id)
        case 4:
            if let element = table.remove(id) { table.insert(element, id: id, at: Int.random(in: 0...count, using: &random)) }
        default: table.update(id) { $0 += 1 }
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `applying the changes to the old list gives the new one`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var table = OrderedTable<Int>()
        var next: UInt64 = 0
        var versions = [table]
        for _ in 0..<6 {
            for _ in 0..<Int.random(in: 0..<(seed % 3 == 0 ? 200 : 12), using: &random) { randomStep(&table, &next, &random) }
            versions.append(table)
        }
        for old in versions {
            for new in versions {
                let changes = try #require(new.changes(from: old))
                #expect(applied(changes, to: listed(old)) == listed(new))
                #expect((old == new) == changes.isEmpty)
                if !changes.isEmpty {
                    #expect(new.changes(from: old, limit: changes.count - 1) == nil)
                    #expect(new.changes(from: old, limit: changes.count) == changes)
                }
            }
        }
    }

    @Test func `a single change gives a diff of one step`() {
        var table = OrderedTable<Int>()
        for id in 1...10_000 as ClosedRange<UInt64> { table.append(0, id: id) }
        let old = table
        var edited = old
        edited.update(5000) { $0 = 7 }
        #expect(edited.changes(from: old) == [.replace(id: 5000, index: 4999, old: 0, new: 7)])
        var moved = old
        moved.move(9000, to: 10)
        #expect(moved.changes(from: old) == [.move(id: 9000, from: 8999, to: 10)])
        var swapped = old
        swapped.move(1, to: 1)
        #expect(swapped.changes(from: old)?.count == 1)
        var removed = old
        removed.remove(1)
        #expect(removed.changes(from: old) == [.remove(id: 1, index: 0, 0)])
        var added = old
        added.insert(3, id: 20_000, at: 0)
        #expect(added.changes(from: old) == [.insert(id: 20_000, index: 0, 3)])
    }

    @Test func `only moved elements count as moved, even after relabelling`() {
        var table = OrderedTable<Int>()
        for id in 1...100 as ClosedRange<UInt64> { table.append(0, id: id) }
        let old = table
        for _ in 0..<200 {
            table.move(50, to: 20)
            table.move(60, to: 20)
        }
        #expect(table.changes(from: old)?.count == 2)
        table.move(60, to: 59)
        table.move(50, to: 49)
        #expect(table.changes(from: old) == [])
        #expect(table == old)
    }

    @Test func `reversing a list moves all elements but one`() throws {
        var old = OrderedTable<Int>()
        var new = OrderedTable<Int>()
        for id in 1...50 as ClosedRange<UInt64> {
            old.append(0, id: id)
            new.insert(0, id: id, at: 0)
        }
        let changes = try #require(new.changes(from: old))
        #expect(changes.count == 49)
        #expect(applied(changes, to: listed(old)) == listed(new))
    }
}
