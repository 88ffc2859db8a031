import Chronicle
import Dates
import TestSupport
import Testing

@testable import todoctl

/// A random log: the changes of each record, and the todos after it.
private struct MadeUpLog {
    var states: [[Value]] = [[]]
    var changes: [[Change]] = [[]]
    private var nextID: Int64 = 1

    init(records: Int, seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<records {
            var (items, made) = (states[states.count - 1], [Change]())
            for _ in 0...Int.random(in: 0...2, using: &random) { made.append(change(&items, &random)) }
            states.append(items)
            changes.append(made)
        }
    }

    private mutating func change(_ items: inout [Value], _ random: inout SeededGenerator) -> Change {
        let path = "todos.items"
        let choice = items.isEmpty ? 0 : Int.random(in: 0...3, using: &random)
        let place = items.isEmpty ? 0 : Int.random(in: 0..<items.count, using: &random)
        switch choice {
        case 0:
            let at = Int.random(in: 0...items.count, using: &random)
            let new = todo(nextID, &random)
            items.insert(new, at: at)
            defer { nextID += 1 }
            return Change(path: path, kind: .insert, id: nextID, at: at, new: new)
        case 1:
            let old = items.remove(at: place)
            return Change(path: path, kind: .remove, id: old["id"]?.int, at: place, old: old)
        case 2:
            let old = items[place]
            items[place] = todo(old["id"]?.int ?? 0, &random)
            return Change(path: path, kind: .replace, id: old["id"]?.int, at: place, old: old, new: items[place])
        default:
            let element = items.remove(at: place)
            let at = Int.random(in: 0...items.count, using: &random)
            items.insert(element, at: at)
            return Change(path: path, kind: .move, id: element["id"]?.int, at: at, from: place)
        }
    }

    private func todo(_ id: Int64, _ random: inout SeededGenerator) -> Value {
        var more: [Value.Field] = [.init("priority", .int(.random(in: 0...3, using: &random)))]
        if Bool.random(using: &random) { more.append(.init("due", .text("2026-11-2\(Int.random(in: 0...9, using: &random))"))) }
        if Int.random(in: 0...3, using: &random) == 0 { more.append(.init("completed", .int(SimulatedScreen.saturday - 5))) }
        return .todo(id, "Todo \(Int.random(in: 0...99, using: &random))", more)
    }

    /// The diff of two moments, in either direction.
    func difference(from: UInt64, to: UInt64) -> [Change] {
        if from <= to { return changes[Int(from) + 1..<Int(to) + 1].flatMap { $0 } }
        return changes[Int(to) + 1..<Int(from) + 1].flatMap { $0 }.reversed().map { change in
            switch change.kind {
            case .insert: Change(path: change.path, kind: .remove, id: change.id, at: change.at, old: change.new)
            case .remove: Change(path: change.path, kind: .insert, id: change.id, at: change.at, new: change.old)
            case .move: Change(path: change.path, kind: .move, id: change.id, at: change.from, from: change.at)
            default: Change(path: change.path, kind: change.kind, id: change.id, at: change.at, old: change.new, new: change.old)
            }
        }
    }

    /// Answers a query in pages of three.
    func answer(_ question: PastState.Question, _ past: inout PastState) -> Bool {
        switch question {
        case .whole(let moment):
            let items = states[Int(moment)]
            for start in stride(from: 0, to: items.count, by: 3) {
                _ = past.take(page: Array(items[start..<min(start + 3, items.count)]), isLast: false)
            }
            return past.take(page: [], isLast: true)
        case .changes(let from, let to):
            let changes = difference(from: from, to: to)
            for start in stride(from: 0, to: changes.count, by: 3) {
                _ = past.take(changes: Array(changes[start..<min(start + 3, changes.count)]), isLast: false)
            }
            return past.take(changes: [], isLast: true)
        }
    }
}

@Suite struct PastStateTests {
    private func rows(_ rows: TodoRows) -> [TodoRows.Row] { (0..<rows.count).compactMap { rows[$0] } }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `applying diffs gives the same rows as reading the whole state`(seed: UInt64) {
        let log = MadeUpLog(records: 120, seed: seed)
        var random = SeededGenerator(seed &+ 99)
        var past = PastState()
        var led = TodoRows()
        for _ in 0..<60 {
            let moment = UInt64.random(in: 0...120, using: &random)
            // The record times go back and forth as well.
            let clock = RowClock(
                now: Zone.berlin.moment(at: SimulatedScreen.saturday / 1_000_000 + Int64(moment) * 7_000), zone: .berlin)
            if let question = past.question(to: moment) { #expect(log.answer(question, &past)) }
            #expect(past.moment == moment)
            var anew = TodoList(log.states[Int(moment)])
            #expect(past.todos.ids == anew.ids)
            #expect(past.todos.ids.map { past.todos[$0] } == anew.ids.map { anew[$0] })
            let touched = past.todos.takeTouched()
            led.update(touched, past.todos, clock)
            var read = TodoRows()
            read.update(anew.takeTouched(), anew, clock)
            #expect(rows(led) == rows(read) && led.overdueCount == read.overdueCount && led.openCount == read.openCount)
        }
    }

    @Test func `the next diff starts from the moment that is still in flight`() {
        let log = MadeUpLog(records: 30, seed: 8)
        var past = PastState()
        past.begin(TodoList(log.states[30]), at: 30)
        let (first, second) = (past.question(to: 20), past.question(to: 5))
        #expect(first == .changes(from: 30, to: 20) && second == .changes(from: 20, to: 5))
        #expect(past.question(to: 5) == nil)
        for question in [first, second] { if let question { #expect(log.answer(question, &past)) } }
        #expect(past.moment == 5 && past.todos.ids == TodoList(log.states[5]).ids)
    }

    @Test func `if much has changed, the whole state is read`() {
        let many = (1...1_500).map { Value.todo(Int64($0), "Todo") }
        var past = PastState()
        past.begin(TodoList(many), at: 5_000)
        let change = Change(path: "todos.items", kind: .replace, id: 1, at: 0, new: many[0])
        #expect(past.question(to: 4_990) == .changes(from: 5_000, to: 4_990))
        let isTaken = past.take(changes: Array(repeating: change, count: 20), isLast: true)
        #expect(isTaken)
        #expect(past.question(to: 4_000) == .whole(at: 4_000))
        let isRead = past.take(page: many, isLast: true)
        #expect(isRead)
        #expect(past.question(to: 4_010) == .changes(from: 4_000, to: 4_010))
    }

    @Test func `an answer to a forgotten query changes nothing`() {
        var past = PastState()
        past.begin(TodoList([.todo(1, "Milk")]), at: 9)
        _ = past.question(to: 8)
        past.forget()
        let gone = Change(path: "todos.items", kind: .remove, id: 1, at: 0)
        #expect(!past.take(changes: [gone], isLast: true) && past.todos.ids == [1] && past.moment == 9)
    }
}
