import Chronicle
import Dates
import Testing

@testable import todoctl

@Suite struct StateLinesTests {
    private func lines(_ state: Value, _ changes: [Change] = [], columns: Int? = nil) -> StateLines {
        StateLines(state, changes, columns: columns, now: Zone { _ in 0 }.moment(at: 0))
    }

    private func todos(_ ids: ClosedRange<Int64>) -> Value {
        ["todos": ["items": .list(ids.map { ["id": .int($0), "title": .text("Todo \($0)")] }), "draft": "Buy"]]
    }

    @Test func `todos are a list, and the changed one is marked`() {
        let change = Change(path: "todos.items", kind: .insert, id: 2, at: 1, new: ["id": 2, "title": "Todo 2"])
        let shown = lines(todos(1...3), [change])
        #expect(
            shown.lines == [
                "todos:", "  items:", "      1 [ ] Todo 1", ">     2 [ ] Todo 2", "      3 [ ] Todo 3", "    draft: Buy",
            ], "\(shown.lines)")
        #expect(shown.changed == 3)
    }

    @Test func `a changed field is marked, and other lists have one element per line`() {
        let change = Change(path: "counter", kind: .set, old: ["count": 1], new: ["count": 2])
        let state: Value = ["counter": ["count": 2], "alerts": ["items": [["id": 1, "text": "No"]], "nextID": 2]]
        #expect(
            lines(state, [change]).lines == [
                "counter:", ">   count: 2", "alerts:", "  items:", "      - id 1, text No", "    nextID: 2",
            ])
        #expect(lines(["counter": ["count": 2]]).changed == nil)
    }

    @Test func `a window shows the changed rows and says how many are before and after them`() {
        let change = Change(path: "todos.items", kind: .replace, id: 50, at: 49, old: ["id": 50], new: ["id": 50])
        let shown = lines(todos(1...100), [change])
        let window = shown.window(9)
        #expect(window.count == 9 && window.first == "…" && window.last == "…")
        #expect(window.contains { $0.hasPrefix(">") && $0.hasSuffix("50 [ ] Todo 50") }, "\(window)")
        #expect(lines(todos(1...100)).window(4) == ["todos:", "  items:", "        1 [ ] Todo 1", "…"])
        #expect(lines(todos(1...2)).window(9).count == 5)
        #expect(shown.window(0).isEmpty && shown.window(2).count == 2)
    }
}
