import Chronicle
import Testing
import TodoAPI

@testable import todoctl

@Suite struct ChangeSummaryTests {
    private static let plain = Paint(isTerminal: false) { _ in nil }

    private func todo(_ id: Int64, _ title: String, due: String? = nil) -> Value {
        var fields: [Value.Field] = [.init("id", .int(id)), .init("title", .text(title))]
        if let due { fields.append(.init("due", .text(due))) }
        return .record(fields)
    }

    private func renamed(_ ids: ClosedRange<Int64>) -> [Change] {
        ids.map { id in
            Change(
                path: "todos.items", kind: .replace, id: id, at: 0, old: todo(id, "Old \(id)", due: id < 4 ? "2026-11-26" : nil),
                new: todo(id, "New \(id)"))
        }
    }

    private func back(_ ids: ClosedRange<Int64>) -> [Change] {
        ids.map { Change(path: "todos.items", kind: .insert, id: $0, at: 0, new: todo($0, "Todo \($0)")) }
    }

    @Test func `up to ten changes are listed individually`() {
        let lines = ChangeSummary(changes: back(1...10), isUndo: true, comesBack: true, paint: Self.plain).lines
        #expect(lines.count == 10 && lines.first == "Todo 1 is back" && lines.last == "Todo 10 is back")
    }

    @Test func `more changes are counted by kind, and the first ten are named`() {
        let number = Change(path: "todos", kind: .set, old: ["nextID": 9], new: ["nextID": 4])
        let counter = Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 0])
        let changes = [number] + renamed(1...9) + back(20...23) + [counter]
        let lines = ChangeSummary(changes: changes, isUndo: false, comesBack: true, paint: Self.plain).lines
        #expect(lines.first == "9 todos change: 9 titles, 3 due dates; 4 come back; 1 change of the counter", "\(lines)")
        #expect(lines.count == 12 && lines[10] == "+ 20: Todo 20" && lines.last == "and 4 more", "\(lines)")
    }

    @Test func `a todo that changes and moves is counted once, and a new one is not called restored`() {
        let moved = renamed(1...1) + [Change(path: "todos.items", kind: .move, id: 1, at: 0, from: 3)]
        let gone = Change(path: "todos.items", kind: .remove, id: 9, at: 0, old: todo(9, "Gone"))
        #expect(
            ChangeSummary.counts(moved + back(20...21) + [gone], comesBack: false)
                == "1 todo changes: 1 title, 1 due date, 1 place; 2 come; 1 goes")
        #expect(ChangeSummary.counts(back(1...12), comesBack: true) == "12 todos come back")
    }

    @Test func `changes of other features are named by their feature`() {
        let news: Value = ["id": 1, "title": "News"]
        let post = Change(path: "posts.items", kind: .insert, id: 1, at: 0, new: news)
        let draft = Change(path: "todos", kind: .set, old: ["draft": "Buy"], new: ["draft": ""])
        let counter = Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 0])
        let star = Change(path: "stars.items", kind: .set, new: ["swift": ["phase": "star", "starCount": 1]])
        let errand = Change(path: "errands.items", kind: .set, old: ["far": 1], new: ["far": 2])
        #expect(
            ChangeSummary.counts([post, draft, counter, post, star, errand], comesBack: false)
                == "2 changes of the posts; 1 change of the draft; 1 change of the counter; 1 change of the stars; "
                + "1 change of the errands")
    }
}
