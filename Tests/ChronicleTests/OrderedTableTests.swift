import TestSupport
import Testing

@testable import Chronicle

@Suite struct OrderedTableTests {
    /// Returns the table's IDs and elements in order.
    func listed(_ table: OrderedTable<Int>) -> [[Int]] {
        var list: [[Int]] = []
        table.forEach {
            list.append([Int($0), $1])
            return true
        }
        return list
    }

    func step(_ table: inout OrderedTable<Int>, _ model: inout [[Int]], _ id: inout Int, _ random: inout SeededGenerator) {
        let place = model.isEmpty ? 0 : Int.random(in: 0..<model.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1, 2:
            id += 1
            let index = [0, model.count, Int.random(in: 0...model.count, using: &random)][Int.random(in: 0..<3, using: &random)]
            #expect(table.insert(0, id: UInt64(id), at: index) == true)
            model.insert([id, 0], at: index)
        case 3 where !model.isEmpty:
            let target = Bool.random(using: &random) ? 0 : Int.random(in: 0..<model.count, using: &random)
            let entry = model.remove(at: place)
            #expect(table.move(UInt64(entry[0]), to: target) == true)
            model.insert(entry, at: target)
        case 4 where !model.isEmpty:
            let entry = model.remove(at: place)
            #expect(table.remove(UInt64(entry[0])) == entry[1])
        case 5 where !model.isEmpty:
            model[place][1] += 1
            table.update(UInt64(model[place][0])) { $0 += 1 }
        default: break
        }
    }

    @Test(arguments: [0, 1, 2, 16, 64, 65, 500, 2_048, 2_049, 5_000])
    func `building a table at once equals appending its elements`(count: Int) throws {
        var random = SeededGenerator(UInt64(count))
        let ids = Array(1...UInt64(2 * count + 1)).shuffled(using: &random).prefix(count)
        var model = ids.map { [Int($0), Int($0) * 3] }
        var table = try #require(OrderedTable(model.map { $0[1] }) { UInt64($0 / 3) })
        var appended = OrderedTable<Int>()
        for entry in model { appended.append(entry[1], id: UInt64(entry[0])) }
        #expect(table == appended)
        #expect(listed(table) == model)
        var id = 2 * count + 1
        for _ in 0..<500 { step(&table, &model, &id, &random) }
        #expect(listed(table) == model)
        for (place, entry) in model.enumerated() { #expect(table.index(of: UInt64(entry[0])) == place) }
    }

    @Test func `building a table with a duplicate ID fails`() {
        #expect(OrderedTable([1, 2, 3, 2]) { UInt64($0) } == nil)
        #expect(OrderedTable([7, 7]) { UInt64($0) } == nil)
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a table behaves like an array of pairs`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var table = OrderedTable<Int>()
        var model: [[Int]] = []
        var id = 0
        for _ in 0..<3000 {
            step(&table, &model, &id, &random)
            #expect(table.count == model.count)
            if let place = model.indices.randomElement(using: &random) {
                let wanted = UInt64(model[place][0])
                #expect(table.id(at: place) == wanted)
                #expect(table.index(of: wanted) == place)
                #expect(table[wanted] == model[place][1])
            }
        }
        #expect(listed(table) == model)
        var tail: [Int] = []
        table.forEach(from: model.count / 2) { id, _ in
            tail.append(Int(id))
            return tail.count < 5
        }
        #expect(tail == model[(model.count / 2)...].prefix(5).map { $0[0] })
    }

    @Test(arguments: [0, 1, 500, 999])
    func `thousands of insertions at one index keep the order`(place: Int) {
        var table = OrderedTable<Int>()
        for id in 0..<1000 as Range<UInt64> { table.append(0, id: id) }
        var model = (0..<1000).map { [$0, 0] }
        for id in 1000..<6000 {
            table.insert(0, id: UInt64(id), at: place)
            model.insert([id, 0], at: place)
        }
        #expect(listed(table) == model)
        #expect(table.index(of: 5999) == place)
    }

    @Test func `many moves keep the order`() {
        var table = OrderedTable<Int>()
        var model: [[Int]] = []
        for id in 0..<200 {
            table.append(0, id: UInt64(id))
            model.append([id, 0])
        }
        var random = SeededGenerator(1)
        for round in 0..<20_000 {
            let id = model[Int.random(in: 50..<150, using: &random)][0]
            let index = round % 2 == 0 ? 100 : 101
            table.move(UInt64(id), to: index)
            model.insert(model.remove(at: model.firstIndex { $0[0] == id } ?? 0), at: index)
        }
        #expect(listed(table) == model)
    }

    @Test func `an index out of range is clamped`() {
        var table = OrderedTable<Int>()
        table.insert(0, id: 1, at: 7)
        table.insert(0, id: 2, at: -3)
        table.insert(0, id: 3, at: .max)
        #expect(listed(table).map { $0[0] } == [2, 1, 3])
        #expect(table.move(3, to: .min) && table.move(2, to: .max))
        #expect(listed(table).map { $0[0] } == [3, 1, 2])
        #expect(table.id(at: -1) == nil && table.id(at: 3) == nil)
    }

    @Test func `a refused operation keeps the table identical`() {
        var table = OrderedTable<Int>()
        table.append(0, id: 1)
        table.append(0, id: 2)
        let copy = table
        #expect(table.insert(5, id: 1, at: 0) == false)
        #expect(table.move(9, to: 0) == false)
        #expect(table.remove(9) == nil)
        #expect(table.move(2, to: 1) == true)
        let isUpdated = table.update(1, where: { $0 == 7 }, { $0 = 8 })
        #expect(!isUpdated)
        #expect(table.isIdentical(to: copy))
    }

    @Test func `tables are equal if they have the same elements in the same order`() {
        var left = OrderedTable<Int>()
        var right = OrderedTable<Int>()
        for id in 0..<300 as Range<UInt64> { left.append(Int(id), id: id) }
        for id in (0..<300 as Range<UInt64>).reversed() { right.insert(Int(id), id: id, at: 0) }
        #expect(left == right)
        #expect(!left.isIdentical(to: right))
        right.move(17, to: 18)
        #expect(left != right)
        right.move(17, to: 17)
        #expect(left == right)
        right.update(200) { $0 = 0 }
        #expect(left != right)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a filtered iteration finds all marked elements after any change`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var (table, model, id) = (OrderedTable<Int>(), [[Int]](), 0)
        var marks = OrderedTable<Int>.Marks<Bool>()
        var copies: [(table: OrderedTable<Int>, model: [[Int]])] = []
        for _ in 0..<400 {
            for _ in 0..<Int.random(in: 0..<20, using: &random) { step(&table, &model, &id, &random) }
            copies.append((table, model))
            // Also iterates over older copies.
            let copy = copies[Bool.random(using: &random) ? copies.count - 1 : Int.random(in: 0..<copies.count, using: &random)]
            let isOdd = Bool.random(using: &random)
            let start = Int.random(in: 0...copy.model.count, using: &random)
            let length = Int.random(in: 1...100, using: &random)
            var shown: [[Int?]] = []
            copy.table.forEachInPlace(from: start, &marks, { $0 % 2 == 1 }, where: { $0 == isOdd }) { id, element in
                shown.append([Int(id), element?.pointee])
                return shown.count < length
            }
            let expected = copy.model.dropFirst(start).prefix(length).map { entry in
                [entry[0], (entry[1] % 2 == 1) == isOdd ? entry[1] : nil]
            }
            #expect(shown == expected)
        }
    }

    @Test func `a mark is computed once, and again after a change on its page`() throws {
        var table = try #require(OrderedTable(Array(1...1_000)) { UInt64($0) })
        var marks = OrderedTable<Int>.Marks<Int>()
        func marked(_ table: OrderedTable<Int>) -> Int {
            var marked = 0
            let mark = { (element: Int) in
                marked += 1
                return element
            }
            table.forEachInPlace(from: 0, &marks, mark, where: { $0 > 3 }) { _, _ in true }
            return marked
        }
        #expect(marked(table) == 1_000)
        let copy = table
        #expect(marked(copy) == 0)
        table.update(500) { $0 += 1 }
        table.move(1, to: 999)
        #expect((1...32).contains(marked(table)) && marked(table) == 0)
        // The cache drops removed pages eventually.
        for id in 17...1_000 as ClosedRange<UInt64> { table.remove(id) }
        #expect(marked(table) == 1 && marked(table) == 16)
    }
}
