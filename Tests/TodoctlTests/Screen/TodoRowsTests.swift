import Chronicle
import Dates
import TestSupport
import Testing

@testable import todoctl

@Suite struct TodoRowsTests {
    private let clock = RowClock(now: Zone.berlin.moment(at: SimulatedScreen.saturday / 1_000_000), zone: .berlin)

    private func random(_ id: Int64, _ random: inout SeededGenerator) -> Value {
        var more: [Value.Field] = []
        if Bool.random(using: &random) { more.append(.init("due", .text("2026-11-\(Int.random(in: 10...30, using: &random))"))) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            more.append(.init("completed", .int(.random(in: 1...9, using: &random))))
        }
        more.append(.init("priority", .int(.random(in: 0...3, using: &random))))
        return .todo(id, "Todo \(["alpha", "beta", "gamma"].randomElement(using: &random) ?? "")", more)
    }

    @Test(arguments: TodoOrder.allCases)
    func `incrementally updated rows equal rebuilt rows`(sort: TodoOrder) throws {
        var generator = SeededGenerator(UInt64(sort.rawValue.utf8.count))
        var (list, rows) = (TodoList(), TodoRows(sort: sort))
        var known: [Int64] = []
        for step in 1...600 {
            let id = known.randomElement(using: &generator) ?? 1
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                let at = Int.random(in: 0...known.count, using: &generator)
                known.insert(Int64(step), at: at)
                list.apply(
                    Change(path: "todos.items", kind: .insert, id: Int64(step), at: at, new: random(Int64(step), &generator)))
            case 2: list.apply(Change(path: "todos.items", kind: .replace, id: id, at: 0, new: random(id, &generator)))
            case 3 where !known.isEmpty:
                let at = Int.random(in: 0..<known.count, using: &generator)
                known.removeAll { $0 == id }
                known.insert(id, at: min(at, known.count))
                list.apply(Change(path: "todos.items", kind: .move, id: id, at: at))
            case 4 where known.count > 20:
                known.removeAll { $0 == id }
                list.apply(Change(path: "todos.items", kind: .remove, id: id))
            default:
                let words = [[], ["alpha"], ["alpha", "a"], ["gam"]].randomElement(using: &generator) ?? []
                rows.filter(by: try FilterTests.reader.filter(words).condition.flatMap(LocalFilter.init))
            }
            rows.update(list.takeTouched(), list, clock)
            #expect(list.ids == known)
            guard step.isMultiple(of: 10) else { continue }
            var fresh = TodoRows(sort: sort)
            fresh.update(nil, list, clock)
            fresh.filter(by: rows.filter)
            #expect(fresh.ids == rows.ids && fresh.openCount == rows.openCount && fresh.overdueCount == rows.overdueCount)
            for (index, id) in known.enumerated() { #expect(list.index(of: id) == index) }
            for line in 0..<rows.count {
                if case .todo(let id)? = rows[line] { #expect(rows.index(of: id) == line) }
            }
        }
    }

    @Test func `a todo becomes overdue by itself`() {
        var list = TodoList([.todo(1, "Send the invoice", [.init("due", "2026-11-21T10:30")])])
        var rows = TodoRows()
        rows.update(list.takeTouched(), list, clock)
        #expect(rows.section(of: 1) == .today)
        let later = RowClock(now: Moment(day: clock.now.day, second: 11 * 3600), zone: .berlin)
        rows.update([], list, later)
        #expect(rows.section(of: 1) == .overdue && rows.overdueCount == 1)
        let tomorrow = RowClock(now: Moment(day: clock.now.day.adding(days: 1), second: 0), zone: .berlin)
        list.append([.todo(2, "Buy the milk", due: "2026-11-22")])
        rows.update(list.takeTouched(), list, clock)
        #expect(rows.section(of: 2) == .later)
        rows.update([], list, tomorrow)
        #expect(rows.section(of: 2) == .today)
    }

    @Test func `many insertions at one position keep working`() {
        var list = TodoList([.todo(1, "First"), .todo(2, "Last")])
        for id in Int64(3)..<203 {
            list.apply(Change(path: "todos.items", kind: .insert, id: id, at: 1, new: .todo(id, "Middle")))
        }
        #expect(list.ids == [1] + (Int64(3)..<203).reversed() + [2])
        for (index, id) in list.ids.enumerated() { #expect(list.index(of: id) == index) }
    }
}
